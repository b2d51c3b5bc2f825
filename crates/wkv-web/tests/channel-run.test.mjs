/** The run of the channel's page, its statistics and its streams, without a browser. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Channel } from '../pages/js/channel/numerics.js';
import { Run } from '../pages/js/channel/run.js';
import { fields, FORMATS, settingsOf, specOf, TABLES } from '../pages/js/channel/settings.js';
import { ErrorCurve, ErrorStatistics } from '../pages/js/channel/statistics.js';
import { BURST, list, random, sines, withBursts } from '../pages/js/channel/streams.js';
import { print, read } from '../pages/js/common/url-state.js';

const SPEC = specOf(read(fields(false), '').values);

/** @param {import('../pages/js/channel/streams.js').Stream} stream @param {number} count */
function tokens(stream, count) {
  return Array.from({ length: count }, (_, n) => stream.at(n));
}

test('streams of one seed are the same, of another others, and have the asked size', () => {
  for (const make of [sines, random]) {
    const [a, b, c] = [7, 7, 8].map((seed) => tokens(make(seed, 3, 0.5), 4096));
    assert.deepEqual(a, b);
    assert.notDeepEqual(a, c);
    const rms = (/** @type {'k' | 'v'} */ name) =>
      Math.sqrt(a.reduce((sum, token) => sum + token[name] ** 2, 0) / a.length);
    assert.ok(Math.abs(rms('k') / 3 - 1) < 0.1 && Math.abs(rms('v') / 0.5 - 1) < 0.1, make.name);
  }
});

test('a burst changes its tokens alone', () => {
  const still = list(Array(40).fill(1), Array(40).fill(-2));
  const changed = tokens(withBursts(still, [10, 13]), 40).map(({ k }, n) => (k === 1 ? -1 : n));
  const expected = Array.from({ length: 3 + BURST.tokens }, (_, i) => 10 + i);
  assert.deepEqual(changed.filter((n) => n >= 0), expected);
  assert.deepEqual(withBursts(still, [10]).at(11), { k: 1 + BURST.key, v: -2 - BURST.value });
});

test('RMS and maximum are those of all errors; the mark keeps its own', () => {
  const statistics = new ErrorStatistics();
  for (let n = 1; n <= 300; n += 1) statistics.record(n <= 256 ? 0.5 : -2);
  assert.equal(statistics.rmsAtMark, 0.5);
  assert.equal(statistics.greatest, 2);
  assert.equal(statistics.rms, Math.sqrt((256 * 0.25 + 44 * 4) / 300));
});

test('the curve has every token up to the mark, stays small, and loses no peak', () => {
  const curve = new ErrorCurve();
  for (let n = 1; n <= 100_000; n += 1) curve.record(n === 70_001 ? -3 : 1e-3);
  assert.deepEqual(curve.tokens.slice(0, 256), Array.from({ length: 256 }, (_, i) => i + 1));
  assert.equal(curve.tokens.at(-1), 100_000);
  assert.ok(curve.tokens.length < 256 + 64 * 9, String(curve.tokens.length));
  assert.ok(curve.tokens.every((token, i) => i === 0 || token > curve.tokens[i - 1]));
  assert.equal(curve.greatest.filter((error) => error === 3).length, 1);
});

/** @param {number} wrongFrom the token, from 1, from which `aa` is one too large */
function way(wrongFrom) {
  return (/** @type {number} */ u, /** @type {number} */ w) => {
    const channel = new Channel(SPEC, u, w);
    let token = 0;
    const run = (/** @type {Int32Array} */ k, /** @type {Int32Array} */ v) =>
      Int32Array.from([...k].flatMap((key, i) => {
        token += 1;
        const out = channel.step(key, v[i]);
        return [out, channel.aa + (token >= wrongFrom ? 1 : 0), channel.bb, channel.pp];
      }));
    return [{ name: 'another way', channel: { run } }];
  };
}

test('ways that agree are counted step by step', () => {
  const run = new Run({ spec: SPEC, u: 0.3, w: -0.5, stream: sines(1, 1, 1), ways: way(Infinity) });
  for (let i = 0; i < 20; i += 1) run.advance(37);
  assert.equal(run.ways[0].agreed, 740);
  assert.equal(run.step, 740);
  assert.equal(run.difference, null);
});

test('the first step that differs is told, and no later one', () => {
  const run = new Run({ spec: SPEC, u: 0.3, w: -0.5, stream: sines(1, 1, 1), ways: way(100) });
  for (let i = 0; i < 20; i += 1) run.advance(37);
  assert.equal(run.ways[0].agreed, 99);
  assert.equal(run.difference?.way, 'another way');
  assert.equal(run.difference?.token, 100);
  const { expected = [], found = [] } = run.difference ?? {};
  assert.deepEqual(found, [expected[0], expected[1] + 1, expected[2], expected[3]]);
});

test('a run ends with its stream, and counts inputs that do not fit', () => {
  const stream = list([1, 200, -128.001, -129], [0, 0, 127.997, 127.999]);
  const run = new Run({ spec: SPEC, u: 130, w: -1, stream });
  assert.equal(run.advance(100), 4);
  assert.equal(run.ended, true);
  assert.equal(run.advance(100), 0);
  assert.deepEqual(run.inputs, { k: 2, v: 1, u: 1, w: 0 });
});

test('every spec is settings and back', () => {
  for (const format of FORMATS) {
    for (const table of TABLES) {
      const spec = specOf({ format, table, interpolate: false, division: 'newton', guard: false });
      assert.deepEqual(specOf(settingsOf(spec)), spec);
    }
  }
  assert.deepEqual(FORMATS.slice(0, 3), ['q8.8', 'q6.10', 'q10.6']);
  assert.equal(new Set(FORMATS).size, 13);
});

test('settings are an address and back; what it cannot say is refused', () => {
  const all = fields(false);
  const { values } = read(all, '');
  const changed = { ...values, w: -0.5, bursts: [3, 70], at: 300, gates: true };
  assert.equal(print(all, values), '');
  assert.deepEqual(read(all, print(all, changed)), { values: changed, refused: [] });
  const nonsense = '?w=1&u=x&format=q9.9&table=5&bursts=5.3&at=-1&gates=2&who=me&seed=1.5';
  const { values: usual, refused } = read(all, nonsense);
  assert.deepEqual(usual, values);
  assert.equal(refused.length, 9);
});

test('of a name given twice the first value holds; what is long is shortened', () => {
  const { values, refused } = read(fields(false), `?w=-1&w=-2&${'x'.repeat(50_000)}&u=${'9'.repeat(400)}`);
  assert.equal(values.w, -1);
  assert.deepEqual(refused.map((part) => part.slice(0, 4)), ['xxxx', 'w=-2', 'u=99']);
  assert.ok(refused.every((part) => part.length < 70));
});
