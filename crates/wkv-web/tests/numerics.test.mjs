/** The JavaScript numerics against what the published circuit produced. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { FloatChannel } from '../pages/js/channel/float.js';
import {
  Channel, DIVIDERS, exp2neg, parseSpec, quantise, specText,
} from '../pages/js/channel/numerics.js';
import { exponentials, steps, streams } from './golden.mjs';

/** @param {string} text */
function spec(text) {
  const spec = parseSpec(text);
  assert(spec, text);
  return spec;
}

test('every exponential is the published one', () => {
  const { spec: text, out } = exponentials();
  const power = exp2neg(spec(text));
  assert.equal(out.length, 65536);
  assert.deepEqual(out.map((_, x) => power(x)), out);
});

test('every single step is the published one, rails and ties included', () => {
  const { spec: text, columns, rows } = steps();
  assert.equal(rows.length, 4000);
  for (const row of rows) {
    const s = Object.fromEntries(columns.map((name, column) => [name, row[column]]));
    const channel = new Channel(spec(text), s.u, s.w);
    Object.assign(channel, { aa: s.aa, bb: s.bb, pp: s.pp });
    const out = channel.step(s.k, s.v);
    const found = { out, aa_next: channel.aa, bb_next: channel.bb, pp_next: channel.pp };
    assert.deepEqual({ ...s, ...found }, s);
  }
});

for (const stream of streams()) {
  test(`streams of ${stream.spec} give the published outputs and states`, () => {
    const channels = stream.u.map((u, c) => new Channel(spec(stream.spec), u, stream.w[c]));
    const out = channels.map((channel, c) =>
      stream.k[c].map((k, token) => channel.step(k, stream.v[c][token])),
    );
    assert.deepEqual(out, stream.out);
    assert.deepEqual(channels.map(({ aa, bb, pp }) => [aa, bb, pp]),
      channels.map((_, c) => [stream.aa[c], stream.bb[c], stream.pp[c]]));
    if (stream.page_clips) {
      const total = (/** @type {(channel: Channel) => number} */ part) =>
        channels.reduce((sum, channel) => sum + part(channel), 0);
      const { aa, bb, pp } = stream.page_clips;
      assert.equal(total((channel) => channel.saturations.aa), aa);
      assert.equal(total((channel) => channel.saturations.bb), bb);
      assert.equal(total((channel) => channel.saturations.ww2), pp);
    }
  });
}

test('a reciprocal gives the numbers of the restoring divider', () => {
  for (const fraction of [2, 6, 8, 10, 14]) {
    for (let d = 1; d <= 32768; d += d < 600 ? 1 : 97) {
      for (const n of [-32768, -32767, -d, -1, 0, 1, d - 1, d, d + 1, 12345, 32767]) {
        const [found, expected] = ['newton', 'restoring'].map((name) =>
          DIVIDERS[/** @type {'newton' | 'restoring'} */ (name)](Math.min(n, 32768), d, fraction));
        // Quotients that the register clamps anyway may differ beyond it.
        if (Math.abs(expected) <= 32768) assert.equal(found, expected, `${n} / ${d}, ${fraction}`);
      }
    }
  }
});

test('exact quotients are nearest, halves upward', () => {
  assert.equal(DIVIDERS.exact(1, 2, 0), 1);
  assert.equal(DIVIDERS.exact(-1, 2, 0), 0);
  assert.equal(DIVIDERS.exact(-3, 2, 0), -1);
  assert.equal(DIVIDERS.exact(5, 3, 0), 2);
});

test('reals become the nearest raw integer, halves upward, clamped', () => {
  assert.deepEqual([0.5, -0.5, 1.49, 200, -200, 0.49999999999999994].map((x) => quantise(x, 0)),
    [1, 0, 1, 200, -200, 0]);
  assert.deepEqual([128, -129].map((x) => quantise(x, 8)), [32767, -32768]);
});

test('without its guard the denominator is the sum alone', () => {
  const channel = new Channel(spec('classic:q8.8:noguard'), 0, 0);
  assert.deepEqual([channel.step(0, 1000), channel.step(0, 3000)], [1000, 2000]);
});

test('specs print back in their shortest form', () => {
  for (const text of ['classic:q8.8', 'classic:q14.2:lut256:nointerp', 'classic:q2.14:div=exact',
    'classic:q8.8:div=newton:noguard']) {
    assert.equal(specText(spec(text)), text);
  }
  assert.equal(specText(spec('classic:q8.8:div=restoring:lut32')), 'classic:q8.8');
  for (const text of ['', 'float', 'classic', 'classic:q8.9', 'classic:q08.8', 'classic:q15.1',
    'classic:q8.8:lut5', 'classic:q8.8:lut8:lut8', 'classic:q8.8:div=slow', 'classic:q8.8:']) {
    assert.equal(parseSpec(text), undefined, text);
  }
});

test('double precision gives a weighted mean of the values', () => {
  const channel = new FloatChannel(0.5, -1);
  assert.equal(channel.step(3, 2), 2);
  // The state has 2 with weight 2^3, and this token 5 with weight 2^(0.5 + 2).
  const [old, now] = [2 ** 3, 2 ** 2.5];
  assert.ok(Math.abs(channel.step(2, 5) - (2 * old + 5 * now) / (old + now)) < 1e-15);
});
