/** One channel, live: in a real browser. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { streams } from '../golden.mjs';
import { assertAccessible, assertLooks, suite, wkv } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const folder = mkdtempSync(join(tmpdir(), 'channel-page-'));

/** A machine that does much else gets there, too. */
const PATIENCE = { timeout: 120_000 };

/**
 * Waits until an element's text begins so.
 *
 * @param {Page} page
 * @param {string} id
 * @param {string} start
 */
async function says(page, id, start) {
  await page.waitForFunction(
    ([id, start]) => document.getElementById(id)?.textContent?.startsWith(start),
    [id, start],
    PATIENCE,
  );
}

/**
 * Waits until the page has come to a token and stands still.
 *
 * @param {Page} page
 * @param {number} token
 */
async function standsAt(page, token) {
  await says(page, 'status', `Token ${token.toLocaleString('en')}:`);
}

/**
 * Does something, and waits until an element says something else than before.
 *
 * @param {Page} page
 * @param {string} id
 * @param {() => Promise<unknown>} act
 */
async function changes(page, id, act) {
  const before = await text(page, id);
  await act();
  await page.waitForFunction(
    ([id, before]) => document.getElementById(id)?.textContent !== before,
    [id, before],
    PATIENCE,
  );
}

/**
 * Types into a field and leaves it.
 *
 * @param {Page} page
 * @param {string} id
 * @param {string} value
 */
async function type(page, id, value) {
  await page.fill(`#${id}`, value);
  await page.press(`#${id}`, 'Tab');
}

/** Waits until so many ways are compared. @param {Page} page @param {number} count */
async function compared(page, count) {
  await page.waitForFunction(
    (count) => document.querySelectorAll('#ways li').length === count,
    count,
    PATIENCE,
  );
}

/** @param {Page} page @param {string} id */
async function text(page, id) {
  return (await page.locator(`#${id}`).textContent()) ?? '';
}

/** @param {Page} page @returns {Promise<string[]>} each way with its count */
async function ways(page) {
  return page.locator('#ways li').allInnerTexts();
}

/** @param {Page} page */
function query(page) {
  return new URLSearchParams(new URL(page.url()).search);
}

/** @param {number} steps */
function allAgree(steps) {
  const count = steps.toLocaleString('en');
  const ways = ['the integer model', 'the gates'];
  return ways.map((way) => `${way}\n✓ ${count} of ${count} steps agree`);
}

/** @param {string} name @param {string} content */
function file(name, content) {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

suite('one channel, live', (pages) => {
  test('looks as it should at every size, and anyone can use it', async () => {
    const ready = (/** @type {Page} */ page) => standsAt(page, 300);
    await assertLooks(pages, 'channel.html?at=300&gates=1&w=-0.09', 'channel', ready);
  });

  for (const preset of ['early', 'deep', 'tail', 'flush']) {
    test(`three ways agree on 2,000 steps of the preset ${preset}`, async () => {
      const page = await pages.open('channel.html?paused=1&gates=1');
      await page.locator(`#preset-${preset}`).click();
      const address = query(page);
      address.set('at', '2000');
      await page.goto(`${pages.address}channel.html?${address}`);
      await standsAt(page, 2000);
      assert.equal(await page.locator(`#preset-${preset}`).getAttribute('aria-pressed'), 'true');
      assert.deepEqual(await ways(page), allAgree(2000));
      assert.equal(await page.locator('#difference').isVisible(), false);
      pages.assertQuiet(page);
    });
  }

  test('three ways give the published vectors', async () => {
    const page = await pages.open('channel.html?paused=1');
    for (const golden of streams()) {
      const found = await page.evaluate(async (golden) => {
        const module = (/** @type {string} */ name) => import(`./js/channel/${name}.js`);
        const [{ Ways }, { Run }, { list }, { parseSpec }] = await Promise.all(
          ['ways', 'run', 'streams', 'numerics'].map(module));
        const spec = parseSpec(golden.spec);
        const scale = 2 ** -spec.fraction;
        const engines = (await Ways.load()).of(spec, true);
        return golden.u.map((u, c) => {
          const stream = list(golden.k[c], golden.v[c], scale);
          const constants = { u: u * scale, w: golden.w[c] * scale };
          const run = new Run({ spec, ...constants, stream, ways: engines });
          while (run.advance(1024));
          const { aa, bb, pp } = run.circuit;
          const out = golden.k[c].map((_, token) => run.rounded.at(token) / scale);
          const agreed = run.ways.map((/** @type {{ agreed: number }} */ way) => way.agreed);
          return { out, state: [aa, bb, pp], agreed };
        });
      }, golden);
      found.forEach(({ out, state, agreed }, c) => {
        assert.deepEqual(out, golden.out[c], golden.spec);
        assert.deepEqual(state, [golden.aa[c], golden.bb[c], golden.pp[c]], golden.spec);
        assert.deepEqual(agreed, [out.length, out.length], golden.spec);
      });
    }
    pages.assertQuiet(page);
  });

  test('numerics with a mistake are found at the first step that shows it', async () => {
    const { page } = await pages.blank('');
    await page.route('**/js/channel/numerics.js', async (route) => {
      const body = await (await route.fetch()).text();
      const right = 'Math.floor((a * factor) / ONE_Q16)';
      assert.ok(body.includes(right));
      const wrong = body.replace(right, right.replace('floor', 'trunc'));
      await route.fulfill({ body: wrong, contentType: 'text/javascript' });
    });
    await page.goto(`${pages.address}channel.html?at=200&gates=1`);
    await standsAt(page, 200);
    assert.match(await text(page, 'difference'),
      /^First difference at token \d+: .* is -?\d+ by JavaScript, -?\d+ by the integer model/);
    assert.match((await ways(page))[1], /✗ \d+ of 200 steps agree/);
  });

  test('every control changes what it says', async () => {
    const page = await pages.open('channel.html?at=200');
    await standsAt(page, 200);
    /** @type {[string, string, string][]} control, value, readout */
    const selects = [
      ['format', 'q10.6', 'rms'],
      ['table', '4', 'rms'],
      ['division', 'exact', 'rms'],
      ['factor', '16', 'factor-now'],
      ['stream', 'random', 'now-v'],
    ];
    for (const [id, value, readout] of selects) {
      await changes(page, readout, () => page.selectOption(`#${id}`, value));
      assert.equal(query(page).get(id), value);
    }
    await page.goto(`${pages.address}channel.html?at=200`);
    await standsAt(page, 200);
    for (const [id, value] of [['keys', '3'], ['values', '0.25'], ['seed', '7']]) {
      await changes(page, 'rms', () => type(page, id, value));
      assert.equal(query(page).get(id), value);
    }
    for (const id of ['w', 'u']) {
      const value = await text(page, `${id}-value`);
      await changes(page, 'rms', async () => {
        await page.focus(`#${id}`);
        for (let i = 0; i < 40; i += 1) await page.keyboard.press('ArrowLeft');
      });
      assert.notEqual(await text(page, `${id}-value`), value);
      assert.ok(query(page).has(id));
    }
    await changes(page, 'rms', () => page.locator('#guard').uncheck());
    assert.equal(await text(page, 'spec-name'), 'classic:q8.8:noguard');
    await page.locator('#guard').check();
    await changes(page, 'rms', () => page.locator('#interpolate').uncheck());
    assert.match(await text(page, 'spec-name'), /:nointerp/);
    await page.focus('#speed');
    await page.keyboard.press('ArrowRight');
    assert.equal(await text(page, 'speed-value'), '240 tokens/s');
    await page.locator('#gates').check();
    await compared(page, 2);
    assert.match(await text(page, 'gates-hint'), /^[\d,]+ gates, 48 flip-flops, \d+ gates deep\.$/);
    assert.equal(query(page).get('gates'), '1');
    pages.assertQuiet(page);
  });

  test('every spec has gates that agree', async () => {
    for (const spec of ['format=q2.14&table=256', 'format=q14.2&table=128&interpolate=0',
      'division=exact&table=4', 'guard=0', 'division=newton&format=q6.10']) {
      const page = await pages.open(`channel.html?${spec}&at=100&gates=1&stream=random`);
      await standsAt(page, 100);
      assert.deepEqual(await ways(page), allAgree(100), spec);
      await page.context().close();
    }
  });

  test('an address shows the same picture again', async () => {
    const given = 'w=-0.5&u=0.1&format=q10.6&table=64&interpolate=0&division=newton&stream=random' +
      '&keys=2&values=0.5&seed=12&speed=240&factor=16&bursts=20.150&at=260';
    const pictures = [];
    for (let i = 0; i < 2; i += 1) {
      const page = await pages.open(`channel.html?${given}`);
      await standsAt(page, 260);
      const found = query(page);
      // Standing still is what `at` says; it may be said twice.
      found.delete('paused');
      assert.deepEqual([...found].sort(), [...new URLSearchParams(given)].sort());
      pictures.push(await page.locator('#picture').evaluate((canvas) =>
        /** @type {HTMLCanvasElement} */ (canvas).toDataURL()));
      assert.equal(await page.locator('#seed').inputValue(), '12');
      assert.equal(await page.locator('#format').inputValue(), 'q10.6');
      pages.assertQuiet(page);
      await page.context().close();
    }
    assert.equal(pictures[0], pictures[1]);
  });

  test('an address of nonsense gives a notice, and the page works', async () => {
    const page = await pages.open('channel.html?w=5&format=q9.9&seed=-1&bursts=x&foo=1&at=50');
    await standsAt(page, 50);
    const notice = await text(page, 'notice-address');
    for (const part of ['foo', 'w=5', 'format=q9.9', 'seed=-1', 'bursts=x']) {
      assert.ok(notice.includes(part), notice);
    }
    assert.equal(await text(page, 'spec-name'), 'classic:q8.8');
    pages.assertQuiet(page);
  });

  test('a number that cannot be used is refused in words', async () => {
    const page = await pages.open('channel.html?at=10');
    await standsAt(page, 10);
    await type(page, 'seed', '1.5');
    assert.match(await text(page, 'notice-control'), /seed "1\.5" can't .* a whole number from 0/);
    await type(page, 'seed', '4');
    assert.equal(await page.locator('#notice-control').count(), 0);
    assert.equal(query(page).get('seed'), '4');
  });

  test('recorded channels bring their own constants', async () => {
    const page = await pages.open('channel.html?gates=1&speed=3840');
    await page.selectOption('#stream', 'recorded');
    await standsAt(page, 256);
    const index = await (await fetch(`${pages.address}recorded/index.json`)).json();
    const shown = (/** @type {number} */ w) => String(Number(w.toPrecision(4))).replace('-', '−');
    await says(page, 'w-value', `${shown(index.w[0][0])} → `);
    assert.deepEqual(await ways(page), allAgree(256));
    await type(page, 'block', '3');
    await type(page, 'channel', '20');
    await says(page, 'w-value', `${shown(index.w[3][20])} → `);
    await standsAt(page, 256);
    assert.equal(query(page).get('block'), '3');
    pages.assertQuiet(page);
    await type(page, 'block', '99');
    await page.waitForSelector('#notice-stream');
    assert.match(await text(page, 'notice-stream'), /no channel 20 in block 99: .* blocks 0 to 5/);
  });

  test('a stream file runs to its end, and gives the bytes of wkv run', async () => {
    const page = await pages.open('channel.html?paused=1&stream=file');
    assert.match(await text(page, 'stream-hint'), /Open a file/);
    const [published] = streams();
    const { spec, k, v, u, w } = published;
    const path = file('stream.json', JSON.stringify({ spec, k, v, u, w }));
    await page.setInputFiles('#file', path);
    for (const engine of ['fixed', 'gates']) {
      const gates = engine === 'gates';
      if (gates) await page.locator('#gates').check();
      const others = gates ? ', the integer model and the gates' : ' and the integer model';
      await says(page, 'stream-hint',
        `stream.json: 16 channels, 4,096 steps; JavaScript${others} agree on every one.`);
      await standsAt(page, 256);
      const download = page.waitForEvent('download');
      await page.locator('#download-out').click();
      const saved = await download;
      assert.equal(saved.suggestedFilename(), 'stream-out.json');
      const expected = join(folder, `${engine}.json`);
      const run = ['run', '--engine', engine, '--in', path, '--out', expected];
      execFileSync(wkv, run, { stdio: 'pipe' });
      assert.equal(readFileSync(await saved.path(), 'utf8'), readFileSync(expected, 'utf8'));
    }
    await changes(page, 'now-circuit', () => type(page, 'channel', '5'));
    await standsAt(page, 256);
    const out = published.out[5][255] / 256;
    assert.equal(await text(page, 'now-circuit'), out.toFixed(4).replace('-', '−'));
    pages.assertQuiet(page);
  });

  test('what is said of a file is of the one opened last, and of its numerics', async () => {
    const page = await pages.open('channel.html?stream=file&gates=1');
    const file = (/** @type {string} */ name, /** @type {number} */ channels) => {
      const rows = Array.from({ length: channels }, () => Array(400).fill(5));
      const constants = Array(channels).fill(-3);
      const content = JSON.stringify({ k: rows, v: rows, u: constants, w: constants });
      return { name, mimeType: 'application/json', buffer: Buffer.from(content) };
    };
    const hint = page.locator('#stream-hint');
    await page.setInputFiles('#file', file('long.json', 2000));
    await hint.filter({ hasText: /long\.json/ }).waitFor();
    await page.setInputFiles('#file', file('short.json', 1));
    await hint.filter({ hasText: /short\.json: 1 channels.* the gates agree/ }).waitFor();
    await page.waitForTimeout(300);
    assert.match(await hint.innerText(), /^short\.json/);
    await hint.evaluate((element) => element.replaceChildren());
    await page.selectOption('#format', 'q6.10');
    await hint.filter({ hasText: /short\.json.* the gates agree/ }).waitFor();
    await page.setInputFiles('#file', { ...file('bad.json', 1), buffer: Buffer.from('{') });
    await page.locator('#notice-file').waitFor();
    await page.selectOption('#stream', 'sines');
    await page.locator('#notice-file').waitFor({ state: 'detached' });
    pages.assertQuiet(page);
  });

  test('lines of a .jsonl file can be chosen', async () => {
    const page = await pages.open('channel.html?paused=1&stream=file');
    const lines = streams().slice(1, 4).map((stream) => JSON.stringify(stream)).join('\n');
    await page.setInputFiles('#file', file('streams.jsonl', lines));
    await says(page, 'stream-hint', 'streams.jsonl: 24 channels, 3,072 steps; JavaScript');
    await type(page, 'block', '1');
    await says(page, 'spec-name', 'classic:q8.8:nointerp');
    pages.assertQuiet(page);
  });

  test('a file that is no stream is refused in words', async () => {
    const page = await pages.open('channel.html?paused=1&stream=file');
    /** @type {[string, string, RegExp][]} */
    const refused = [
      ['empty.json', '', /empty\.json is empty; expected/],
      ['malformed.json', '{"k": [[', /no JSON/],
      ['lengths.json', '{"k":[[1]],"v":[[1,2]],"u":[0],"w":[0]}', /"v" in channel 0 has length 2/],
      ['range.json', '{"k":[[1]],"v":[[7e4]],"u":[0],"w":[0]}', /70000; expected a raw integer/],
    ];
    for (const [name, content, message] of refused) {
      await page.setInputFiles('#file', file(name, content));
      await says(page, 'notice-file', name);
      assert.match(await text(page, 'notice-file'), message);
    }
    await page.setInputFiles('#file', file('good.json', '{"k":[[1]],"v":[[2]],"u":[0],"w":[0]}'));
    await page.waitForSelector('#notice-file', { state: 'detached' });
    pages.assertQuiet(page);
  });

  test('its netlist is the one that wkv build writes', async () => {
    const page = await pages.open('channel.html?paused=1&format=q6.10&division=newton&gates=1');
    await compared(page, 2);
    const download = page.waitForEvent('download');
    await page.locator('#download-blif').click();
    const saved = readFileSync(await (await download).path(), 'utf8');
    const out = join(folder, 'build');
    const build = ['build', '--spec', 'classic:q6.10:div=newton', '--emit', 'blif', '--out', out];
    execFileSync(wkv, build, { stdio: 'pipe' });
    assert.equal(saved, readFileSync(join(out, 'wkv_cell.blif'), 'utf8'));
  });

  test('keys pause, step, burst, reset and switch the gates', async () => {
    const page = await pages.open('channel.html?at=100');
    await standsAt(page, 100);
    await page.keyboard.press('s');
    await standsAt(page, 101);
    assert.equal(query(page).get('at'), '101');
    await page.keyboard.press('b');
    assert.equal(query(page).get('bursts'), '101');
    await page.keyboard.press(' ');
    assert.equal(await text(page, 'pause'), 'Pause');
    await page.waitForFunction(() => Number(document.getElementById('token')?.textContent) > 105);
    await page.keyboard.press(' ');
    assert.equal(await text(page, 'pause'), 'Run');
    await page.keyboard.press('g');
    await compared(page, 2);
    await page.keyboard.press('r');
    await standsAt(page, 0);
    assert.equal(query(page).has('bursts'), false);
    await page.locator('#shortcuts').uncheck();
    await page.locator('h1').click();
    await page.keyboard.press(' ');
    assert.equal(await text(page, 'pause'), 'Run');
    pages.assertQuiet(page);
  });

  test('a burst is seen in the values', async () => {
    const page = await pages.open('channel.html?at=101&bursts=100&stream=random&values=0');
    await standsAt(page, 101);
    assert.equal(await text(page, 'now-v'), '4.0000');
  });

  test('where motion is reduced it stands still until it is run', async () => {
    const page = await pages.open('channel.html', { reducedMotion: 'reduce' });
    await standsAt(page, 0);
    assert.equal(await text(page, 'pause'), 'Run');
    await page.locator('#step').click();
    await standsAt(page, 1);
    await page.locator('#pause').click();
    await page.waitForFunction(() => Number(document.getElementById('token')?.textContent) > 3);
    pages.assertQuiet(page);
  });

  test('without WebAssembly it works by JavaScript alone', async () => {
    const { page } = await pages.blank('');
    await page.addInitScript(() => {
      // @ts-expect-error a browser without it
      delete globalThis.WebAssembly;
    });
    await page.goto(`${pages.address}channel.html?at=300&gates=1`);
    await page.waitForSelector('#notice-ways');
    assert.match(await text(page, 'notice-ways'), /no WebAssembly\. .* works by JavaScript alone/);
    await standsAt(page, 300);
    assert.deepEqual(await ways(page), ['JavaScript alone\n✓ 300 steps']);
    assert.equal(await page.locator('#gates').isDisabled(), true);
    assert.notEqual(await text(page, 'rms'), '–');
    await assertAccessible(page);
    pages.assertQuiet(page);
  });

  test('at the highest speed a frame leaves the browser its time', async (context) => {
    const { page } = await pages.blank('');
    await page.addInitScript(() => {
      const own = globalThis.requestAnimationFrame.bind(globalThis);
      /** @type {number[]} */
      const spent = [];
      Object.assign(globalThis, { spent });
      globalThis.requestAnimationFrame = (callback) => own((now) => {
        const start = performance.now();
        callback(now);
        spent.push(performance.now() - start);
      });
    });
    await page.goto(`${pages.address}channel.html?speed=61440`);
    await page.waitForFunction(() => /** @type {any} */ (globalThis).spent.length >= 200, null,
      { timeout: 120_000, polling: 250 });
    const all = await page.evaluate(() => /** @type {any} */ (globalThis).spent);
    const spent = /** @type {number[]} */ (all).slice(40).sort((a, b) => a - b);
    const [median, most] = [spent[spent.length >> 1], spent[Math.floor(spent.length * 0.95)]];
    const tokens = await text(page, 'token');
    context.diagnostic(`a frame takes ${median.toFixed(1)} ms, 95% under ${most.toFixed(1)} ms`);
    context.diagnostic(`${tokens} tokens`);
    assert.ok(median < 1000 / 60, `${median} ms`);
    // The plot is thinned: it doesn't grow with the run.
    const points = await page.evaluate(async () => {
      const { ErrorCurve } = await import(/** @type {any} */ ('./js/channel/statistics.js'));
      const curve = new ErrorCurve();
      for (let n = 0; n < 1e6; n += 1) curve.record(1e-3);
      return curve.tokens.length;
    });
    assert.ok(points < 1100, String(points));
    pages.assertQuiet(page);
  });
});
