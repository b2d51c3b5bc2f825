/** The model's page in a browser. */

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { assertAccessible, assertLooks, frameTimes, suite, wkv } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

const folder = fileURLToPath(new URL('../../../../models/stories-1.5m/', import.meta.url));

/** A story that takes a while: by the gates twice, of words that hardly end it. */
const LONG = {
  tokens: '4096',
  temperature: '1.5',
  p: '1',
  a: 'classic:q8.8@gates',
  b: 'classic:q6.10@gates',
};

/** @param {Page} page */
async function ready(page) {
  await page.locator('#generate:enabled').waitFor();
}

/** @param {Page} page */
async function generate(page) {
  await page.locator('#generate').click();
  await told(page);
}

/**
 * Until the first story has its end.
 *
 * @param {Page} page
 */
async function told(page) {
  await page.waitForFunction(
    () => document.querySelector('#figures-a [data-figure="end"]')?.textContent !== '–',
  );
}

/**
 * @param {Page} page
 * @param {string} list
 * @param {string} figure
 */
function figure(page, list, figure) {
  return page.locator(`#${list} [data-figure="${figure}"]`).innerText();
}

/**
 * A page that is ready, by the state in its address.
 *
 * @param {import('./harness.mjs').Pages} pages
 * @param {Record<string, string>} [state]
 */
async function opened(pages, state = {}) {
  const page = await pages.open(`model.html?${new URLSearchParams(state)}`);
  await ready(page);
  return page;
}

/**
 * The story of the command line: its prompt and its text.
 *
 * @param {string[]} options
 */
async function commandLine(options) {
  const { stdout } = await promisify(execFile)(wkv, ['generate', '--json', '-', ...options], {
    maxBuffer: 1 << 26,
  });
  return JSON.parse(stdout);
}

suite('the model', (pages) => {
  test('tells what the command line tells, in any arithmetic', async () => {
    const prompt = 'The little dog';
    const options = { prompt, tokens: '60', temperature: '0.9', p: '0.95', seed: '7' };
    const common = ['--prompt', prompt, '--tokens', '60', '--seed', '7'];
    common.push('--temperature', '0.9', '--top-p', '0.95', '--spec', 'classic:q8.8');
    for (const [name, engine] of [
      ['float', 'float'],
      ['classic:q8.8', 'fixed'],
      ['classic:q8.8@gates', 'gates'],
    ]) {
      const expected = await commandLine([...common, '--engine', engine]);
      const page = await opened(pages, { ...options, a: name, b: 'none' });
      await generate(page);
      assert.equal(await page.locator('#story-a').textContent(), prompt + expected.text, name);
      assert.equal(await figure(page, 'figures-a', 'tokens'), String(expected.tokens.length));
      assert.equal(await figure(page, 'figures-a', 'rep4'), expected.rep_4.toFixed(3));
      assert.equal(await figure(page, 'figures-a', 'distinct2'), expected.distinct_2.toFixed(3));
      pages.assertQuiet(page);
      await page.context().close();
    }
  });

  test('every option changes the story', async () => {
    const page = await opened(pages, { tokens: '30', b: 'none' });
    const stories = new Set();
    for (const [control, value] of [
      ['#seed', '1'],
      ['#seed', '2'],
      ['#temperature', '1.6'],
      ['#top-p', '0.2'],
      ['#prompt', 'The moon'],
      ['#tokens', '20'],
    ]) {
      await page.locator(control).fill(value);
      await generate(page);
      stories.add(await page.locator('#story-a').textContent());
    }
    assert.equal(stories.size, 6);
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('two columns: where they part is marked in both, and the divergence goes on', async () => {
    const page = await opened(pages, { tokens: '200', a: 'float', b: 'classic:q12.4', seed: '3' });
    await generate(page);
    const verdict = await page.locator('#verdict').innerText();
    const parted = Number(/^Token (\d+) is the first that differs/.exec(verdict)?.[1]);
    assert.ok(parted > 0, verdict);
    const [a, b] = await Promise.all(
      ['a', 'b'].map((letter) =>
        page.locator(`#story-${letter}`).evaluate((story) => {
          const mark = story.querySelector('mark');
          const range = document.createRange();
          range.setStart(story, 0);
          range.setEndBefore(/** @type {Node} */ (mark));
          return { before: range.toString(), mark: mark?.textContent };
        }),
      ),
    );
    assert.equal(a.before.trim(), b.before.trim());
    assert.notEqual(a.mark, b.mark);
    const measured = await page.locator('#divergence').getAttribute('aria-label');
    const tokens = await figure(page, 'figures-a', 'tokens');
    assert.match(measured ?? '', new RegExp(`at ${tokens} tokens: .* The stories part at token`));
    assert.ok(Number(await figure(page, 'divergence-figures', 'mean')) > 0);

    const expected = await Promise.all(
      ['float', 'fixed'].map((engine) =>
        commandLine(['--tokens', '200', '--seed', '3', '--spec', 'classic:q12.4', '--engine', engine]),
      ),
    );
    const first = expected[0].tokens.findIndex(
      (/** @type {number} */ token, /** @type {number} */ at) => token !== expected[1].tokens[at],
    );
    assert.equal(parted, first + 1);
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('the integer model and the gates tell one story', async () => {
    const page = await opened(pages, { tokens: '40', a: 'classic:q8.8', b: 'classic:q8.8@gates' });
    await generate(page);
    assert.equal(await page.locator('#verdict').innerText(), 'The same story, 40 tokens.');
    assert.equal(await page.locator('mark').count(), 0);
    assert.equal(await figure(page, 'divergence-figures', 'greatest'), '0');
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('stops at once, and tells another', async () => {
    const page = await opened(pages, LONG);
    await page.locator('#generate').click();
    await page.waitForFunction(
      () => Number(document.querySelector('#figures-a [data-figure="tokens"]')?.textContent) > 5,
    );
    const since = await page.evaluate(
      () =>
        new Promise((resolve) => {
          const started = performance.now();
          document.getElementById('stop')?.click();
          new MutationObserver(() => resolve(performance.now() - started)).observe(
            /** @type {Node} */ (document.getElementById('generate')),
            { attributes: true },
          );
        }),
    );
    assert.ok(since < 300, `${since} ms`);
    assert.equal(await figure(page, 'figures-a', 'end'), 'stopped');
    await page.locator('#tokens').fill('5');
    await generate(page);
    assert.equal(await figure(page, 'figures-a', 'tokens'), '5');
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('another model ends the story that is told with the one before', async () => {
    const page = await opened(pages, LONG);
    await page.locator('#generate').click();
    await page.waitForFunction(
      () => Number(document.querySelector('#figures-a [data-figure="tokens"]')?.textContent) > 5,
    );
    await page.locator('#weights').selectOption('int8');
    await told(page);
    assert.equal(await figure(page, 'figures-a', 'end'), 'stopped');
    await page.locator('#loading').waitFor({ state: 'hidden' });
    await page.locator('#tokens').fill('5');
    await generate(page);
    assert.equal(await figure(page, 'figures-a', 'tokens'), '5');
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('the page stays quick while a story is told', async () => {
    const page = await opened(pages, LONG);
    await page.locator('#generate').click();
    const times = await frameTimes(page, 120);
    const median = times[60];
    console.log(`frames: median ${median.toFixed(1)} ms, 95% below ${times[114].toFixed(1)} ms`);
    assert.ok(median < 34, `${median} ms`);
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('the address has every control, and gives it back', async () => {
    const page = await opened(pages);
    assert.equal(new URL(page.url()).search, '');
    await page.locator('#prompt').fill('One day & night');
    await page.locator('#tokens').fill('12');
    await page.locator('#temperature').fill('0.5');
    await page.locator('#top-p').fill('0.75');
    await page.locator('#seed').fill('99');
    await page.locator('#weights').selectOption('int8');
    await page.locator('#engine-a').selectOption('fixed');
    await page.locator('#spec-a').fill('classic:q6.10:lut32');
    await page.locator('#engine-b').selectOption('gates');
    await page.locator('#spec-b').fill('classic:q10.6');
    await page.locator('#spec-b').blur();
    await page.waitForFunction(() => location.search.includes('q10.6%40gates'));
    await page.waitForFunction(() => /q6\.10(?!%3Alut32)/.test(location.search));
    const state = Object.fromEntries(new URL(page.url()).searchParams);
    assert.deepEqual(state, {
      weights: 'int8',
      prompt: 'One day & night',
      tokens: '12',
      temperature: '0.5',
      p: '0.75',
      seed: '99',
      a: 'classic:q6.10',
      b: 'classic:q10.6@gates',
    });
    await ready(page);
    await generate(page);
    const story = await page.locator('#story-b').textContent();

    const again = await opened(pages, state);
    assert.equal(again.url(), page.url());
    assert.equal(await again.locator('#engine-b').inputValue(), 'gates');
    assert.equal(await again.locator('#spec-b').inputValue(), 'classic:q10.6');
    await generate(again);
    assert.equal(await again.locator('#story-b').textContent(), story);
    pages.assertQuiet(page);
    pages.assertQuiet(again);
    await page.context().close();
    await again.context().close();
  });

  test('an address of nonsense is told, and the page works', async () => {
    const page = await opened(pages, {
      tokens: '-3',
      temperature: 'hot',
      p: '7',
      seed: '1e999',
      a: '<script>',
      model: 'no-such',
      what: 'ever',
    });
    const told = await page.locator('#notice-address').innerText();
    for (const part of ['tokens=-3', 'temperature=hot', 'p=7', 'seed=1e999', 'a=<script>', 'what']) {
      assert.ok(told.includes(part), `${part} in ${told}`);
    }
    assert.match(await page.locator('#notice-no-model').innerText(), /no model "no-such"/);
    assert.equal(await page.locator('#tokens').inputValue(), '256');
    await page.locator('#tokens').fill('3');
    await generate(page);
    assert.equal(await figure(page, 'figures-a', 'tokens'), '3');
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('numerics that there are not are refused beside their field', async () => {
    const page = await opened(pages);
    await page.locator('#spec-b').fill('classic:q1.15');
    await page.locator('#spec-b').blur();
    await page.locator('#refused-b', { hasText: 'unknown format "q1.15"' }).waitFor();
    assert.ok(await page.locator('#generate').isDisabled());
    await page.locator('#spec-b').fill('classic:q8.8:exp2=exact');
    await page.locator('#engine-b').selectOption('gates');
    await page.locator('#refused-b', { hasText: 'no circuit computes' }).waitFor();
    await assertAccessible(page);
    await page.locator('#spec-b').fill('classic:q8.8:nointerp');
    await page.locator('#spec-b').blur();
    await ready(page);
    assert.equal(await page.locator('#refused-b').textContent(), '');
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('what is being written is not replaced by an answer to what stood there before', async () => {
    const page = await opened(pages);
    // Both in one task: the answer to the first comes after the second.
    await page.evaluate(() => {
      const engine = /** @type {HTMLSelectElement} */ (document.getElementById('engine-a'));
      engine.value = 'fixed';
      engine.dispatchEvent(new Event('change'));
      const spec = /** @type {HTMLInputElement} */ (document.getElementById('spec-a'));
      spec.value = 'classic:q6.10:lut32';
    });
    await page.waitForTimeout(300);
    assert.equal(await page.locator('#spec-a').inputValue(), 'classic:q6.10:lut32');
    await page.locator('#spec-a').dispatchEvent('change');
    await page.waitForFunction(() => location.search === '?a=classic%3Aq6.10');
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('options out of range, no tokens, and no prompt', async () => {
    const page = await opened(pages, { tokens: '4' });
    await page.locator('#temperature').fill('-1');
    await page.locator('#generate').click();
    assert.match(await page.locator('#refused-options').innerText(), /Temperature: 0 to 10/);
    assert.equal(await figure(page, 'figures-a', 'end'), '–');
    await page.locator('#temperature').fill('0.8');
    await page.locator('#prompt').fill('');
    await generate(page);
    assert.equal(await page.locator('#refused-options').textContent(), '');
    assert.equal(await figure(page, 'figures-a', 'tokens'), '4');
    await page.locator('#tokens').fill('0');
    await generate(page);
    assert.equal(await figure(page, 'figures-a', 'tokens'), '0');
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('the model may be of own files, and damaged ones are told', async () => {
    const page = await opened(pages, { tokens: '5' });
    await generate(page);
    const story = await page.locator('#story-a').textContent();
    const weights = await readFile(`${folder}model.safetensors`);
    const tokenizer = await readFile(`${folder}tokenizer.json`);
    await page.locator('#model').selectOption({ label: 'files of your own …' });

    /**
     * @param {Buffer} weights
     * @param {Buffer | null} tokenizer
     */
    const load = async (weights, tokenizer) => {
      const file = (/** @type {string} */ name, /** @type {Buffer} */ buffer) => ({
        name,
        mimeType: 'application/octet-stream',
        buffer,
      });
      await page.locator('#own-weights').setInputFiles(file('mine.safetensors', weights));
      await page
        .locator('#own-tokenizer')
        .setInputFiles(tokenizer ? file('tokenizer.json', tokenizer) : []);
      await page.locator('#own-load').click();
    };
    const other = JSON.parse(String(tokenizer));
    other.model.type = 'WordPiece';
    const length = weights.readBigUInt64LE();
    const header = weights.subarray(8, 8 + Number(length)).toString();
    const version5 = Buffer.from(weights);
    version5.write(header.replaceAll('time_mix_k', 'time_mix_g'), 8);
    for (const [weight, token, reason] of /** @type {const} */ ([
      [weights.subarray(0, 100_000), tokenizer, /mine\.safetensors: 100000 bytes .*truncated/],
      [Buffer.from('<!doctype html>'), tokenizer, /mine\.safetensors: no checkpoint/],
      [version5, tokenizer, /mine\.safetensors: tensor .*(RWKV of version 5|no part)/],
      [weights, Buffer.from(JSON.stringify(other)), /of another kind: .*WordPiece/],
      [weights, Buffer.from('{"'), /of another kind/],
      [weights, null, /The tokenizer has 256 tokens, but the model .*2048/],
    ])) {
      await load(weight, token);
      await page.locator('#notice-model', { hasText: reason }).waitFor();
    }
    // The model before is still there.
    await generate(page);
    assert.equal(await page.locator('#story-a').textContent(), story);
    await load(weights, tokenizer);
    await page.locator('#model-state', { hasText: 'mine.safetensors: 6 blocks' }).waitFor();
    assert.equal(await page.locator('#notice-model').count(), 0);
    await generate(page);
    assert.equal(await page.locator('#story-a').textContent(), story);
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('a prompt of characters that the tokenizer lacks is refused by their names', async () => {
    const { page } = await pages.blank('model.html');
    const tokenizer = JSON.parse(await readFile(`${folder}tokenizer.json`, 'utf8'));
    tokenizer.model.merges = tokenizer.model.merges.filter(
      (/** @type {string[]} */ pair) => !pair.includes('Z'),
    );
    delete tokenizer.model.vocab.Z;
    await page.route('**/tokenizer.json', (route) => route.fulfill({ json: tokenizer }));
    await page.goto(`${pages.address}model.html?tokens=4&prompt=Zebras`);
    await ready(page);
    await page.locator('#generate').click();
    await page.locator('#notice-telling', { hasText: 'no token for Z' }).waitFor();
    await page.locator('#prompt').fill('Lions');
    await generate(page);
    assert.equal(await page.locator('#notice-telling').count(), 0);
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('a download that breaks off is told, and can be tried again', async () => {
    const { page } = await pages.blank('model.html');
    let fails = true;
    await page.route('**/model.safetensors', (route) => (fails ? route.abort() : route.continue()));
    await page.goto(`${pages.address}model.html?tokens=4`);
    await page.locator('#notice-model', { hasText: 'the download broke off' }).waitFor();
    assert.ok(await page.locator('#generate').isDisabled());
    fails = false;
    await page.locator('#again').click();
    await ready(page);
    assert.equal(await page.locator('#notice-model').count(), 0);
    pages.expectError(page, /Failed to load resource/);
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('a download shows how far it is, and can be cancelled', async () => {
    const { page } = await pages.blank('model.html');
    /** @type {(() => void)[]} */
    const held = [];
    await page.route('**/model.safetensors', (route) => void held.push(() => route.continue()));
    const downloads = async (/** @type {number} */ count) => {
      for (let tries = 0; held.length < count && tries < 500; tries += 1) {
        await page.waitForTimeout(20);
      }
    };
    await page.goto(`${pages.address}model.html?tokens=4`);
    await downloads(1);
    await page.locator('#cancel').click();
    await page.locator('#model-state', { hasText: 'Cancelled' }).waitFor();
    assert.ok(await page.locator('#loading').isHidden());
    await page.locator('#again').click();
    await downloads(2);
    assert.ok(await page.locator('#loading').isVisible());
    held[1]();
    await ready(page);
    pages.expectError(page, /Failed to load resource/);
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('a list of models that is none is told, and own files remain', async () => {
    for (const body of ['{}', 'null', '<html>', '[]']) {
      const { page } = await pages.blank('model.html');
      await page.route('**/models/index.json', (route) =>
        route.fulfill({ status: 200, contentType: 'application/json', body }),
      );
      await page.goto(`${pages.address}model.html`);
      await page.locator('#own-files').waitFor();
      assert.equal(await page.locator('#notice-models').count(), body === '[]' ? 0 : 1, body);
      pages.assertQuiet(page);
      await page.context().close();
    }
  });

  test('a folder of a model may have any name', async () => {
    const { page } = await pages.blank('model.html');
    const name = `it's 100% "a#b?c" \\ 日本`;
    const entry = { name, folder: `models/${name}`, bytes: 1, blocks: 6, channels: 128 };
    await page.route('**/models/index.json', (route) => route.fulfill({ json: [entry] }));
    /** @type {string[]} */
    const asked = [];
    await page.route(/\/models\/it/, (route) => {
      const { pathname } = new URL(route.request().url());
      asked.push(decodeURIComponent(pathname));
      return route.fulfill({ path: folder + pathname.split('/').at(-1) });
    });
    await page.goto(`${pages.address}model.html`);
    await ready(page);
    assert.deepEqual(asked, ['tokenizer.json', 'model.safetensors'].map((file) =>
      `/models/${name}/${file}`));
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('what is missing in a browser is said', async () => {
    for (const [script, words] of [
      ['delete globalThis.Worker', /no Workers/],
      ['Worker = class { constructor() { throw new Error("no modules"); } }', /no Worker: .*no modules/],
      ['delete globalThis.WebAssembly', /no WebAssembly/],
      ['WebAssembly.validate = () => false', /not its SIMD/],
    ]) {
      const { page } = await pages.blank('model.html');
      await page.addInitScript(String(script));
      await page.goto(`${pages.address}model.html?prompt=Kept`);
      assert.match(await page.locator('#notice-browser').innerText(), /** @type {RegExp} */ (words));
      assert.equal(await page.locator('#prompt').inputValue(), 'Kept');
      assert.ok(await page.locator('#generate').isDisabled());
      pages.assertQuiet(page);
      await page.context().close();
    }
  });

  test('by keys alone', async () => {
    const page = await opened(pages, { tokens: '6' });
    await page.locator('#prompt').focus();
    await page.keyboard.press('Control+Enter');
    await told(page);
    await page.locator('#seed').focus();
    await page.keyboard.press('Enter');
    await told(page);
    assert.equal(await figure(page, 'figures-a', 'tokens'), '6');
    pages.assertQuiet(page);
    await page.context().close();
  });

  test('looks', async () => {
    const state = new URLSearchParams({ tokens: '120', b: 'classic:q12.4', seed: '3' });
    await assertLooks(pages, `model.html?${state}`, 'model', async (page) => {
      await ready(page);
      await generate(page);
      await page.waitForTimeout(500);
    });
  });
});
