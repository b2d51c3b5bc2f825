/** The gallery: its numbers, its inputs, its moving circuits, its address. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { assertLooks, suite, wkv } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

/**
 * The page once it shows a circuit.
 *
 * @param {Page} page
 */
async function shown(page) {
  await page.waitForFunction(() => document.querySelectorAll('#buses tr').length > 0);
}

/**
 * What `wkv build` says of a cell.
 *
 * @param {string} unit
 */
function build(unit) {
  const options = ['build', '--unit', unit, '--json', '-'];
  return JSON.parse(
    execFileSync(wkv, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
}

/**
 * The raw number on a bus.
 *
 * @param {Page} page
 * @param {string} kind
 * @param {string} name
 */
async function numberOn(page, kind, name) {
  const row = page.locator(`#buses tr[data-bus="${kind} ${name}"]`);
  return Number((await row.locator('td').nth(2).textContent())?.replace('−', '-'));
}

suite('the gallery', (pages) => {
  test('says of every picture what wkv build says', async () => {
    const page = await pages.open('gallery.html', { reducedMotion: 'reduce' });
    await shown(page);
    const pictures = page.locator('.thumbnail');
    assert.ok((await pictures.count()) >= 16);
    for (let at = 0; at < (await pictures.count()); at++) {
      await pictures.nth(at).click();
      assert.equal(await pictures.nth(at).getAttribute('aria-pressed'), 'true');
      const summary = ((await page.locator('#summary').textContent()) ?? '').replaceAll(
        '\u202f',
        '',
      );
      const [, unit, gates, depth] = /^(\S+): (\d+) gates.*, depth (\d+)$/.exec(summary) ?? [];
      const expected = build(unit);
      assert.deepEqual([Number(gates), Number(depth)], [expected.gates, expected.depth], unit);
    }
    pages.assertQuiet(page);
  });

  test('adds what its switches say', async () => {
    const page = await pages.open('gallery.html?cell=ripple_adder&numbers=8,8,1&inputs=200,55,0');
    await shown(page);
    assert.equal(await numberOn(page, 'output', 'sum'), 255);
    await page.locator('[data-bit="carry[0]"]').click();
    assert.equal(await numberOn(page, 'output', 'sum'), 0);
    assert.equal(await numberOn(page, 'output', 'carry_out'), 1);
    await page.locator('[data-bit="a[3]"]').press('Space');
    assert.equal(await numberOn(page, 'output', 'sum'), 248);
    assert.equal(
      await page.evaluate(() => /** @type {any} */ (document.activeElement).dataset.bit),
      'a[3]',
    );
    assert.equal(new URL(page.url()).searchParams.get('inputs'), '192,55,1');
    await page.reload();
    await shown(page);
    assert.equal(await numberOn(page, 'output', 'sum'), 248);
    pages.assertQuiet(page);
  });

  test('has any size, and keeps two numbers of one width so', async () => {
    const page = await pages.open('gallery.html?cell=wallace');
    await shown(page);
    await page.locator('#number-a').fill('8');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() =>
      document.querySelector('#summary')?.textContent?.startsWith('wallace:8,8'),
    );
    await page.locator('#number-b').fill('5');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() =>
      document.querySelector('#summary')?.textContent?.startsWith('wallace:5,5'),
    );
    assert.match(
      (await page.locator('#summary').textContent()) ?? '',
      new RegExp(`: ${build('wallace:5,5').gates} gates`),
    );
    await page.locator('#optimised').uncheck();
    const grown = /: (\d+) gates/.exec((await page.locator('#summary').textContent()) ?? '');
    assert.ok(Number(grown?.[1]) > build('wallace:5,5').gates);
    pages.assertQuiet(page);
  });

  test('sequential circuits move, and stand still where motion is reduced', async () => {
    const page = await pages.open('gallery.html?cell=counter');
    await shown(page);
    await page.waitForFunction(
      () => Number(/\d+/.exec(document.querySelector('#clock')?.textContent ?? '')) > 2,
    );
    await page.locator('#run').click();
    const count = await numberOn(page, 'output', 'count');
    await page.locator('#forward').click();
    assert.equal(await numberOn(page, 'output', 'count'), count + 1);
    await page.locator('[data-bit="enable[0]"]').click();
    const held = await numberOn(page, 'output', 'count');
    await page.locator('#forward').click();
    assert.equal(await numberOn(page, 'output', 'count'), held, 'it is not enabled');
    await page.locator('#reset').click();
    assert.equal(await numberOn(page, 'output', 'count'), 0);
    pages.assertQuiet(page);

    const still = await pages.open('gallery.html?cell=lfsr', { reducedMotion: 'reduce' });
    await shown(still);
    await still.waitForTimeout(700);
    assert.equal(await still.locator('#clock').textContent(), 'clock 0');
  });

  test('nonsense is told, and the page works', async () => {
    for (const query of [
      'cell=engine',
      'cell=wallace&numbers=8',
      'numbers=x',
      'numbers=900,900,1',
      'optimised=perhaps',
    ]) {
      const page = await pages.open(`gallery.html?${query}`);
      await shown(page);
      assert.ok((await page.locator('.notice').count()) > 0, query);
      pages.assertQuiet(page);
      await page.context().close();
    }
    const page = await pages.open('gallery.html');
    await shown(page);
    await page.locator('#number-a').fill('0');
    await page.keyboard.press('Enter');
    assert.match((await page.locator('#notice-circuit').textContent()) ?? '', /1 to/);
    assert.equal(await page.locator('#number-a').inputValue(), '16');
    pages.assertQuiet(page);
  });

  test('looks right at every width and in both schemes', async () => {
    await assertLooks(pages, 'gallery.html?cell=brent_kung_adder', 'gallery', shown);
  });
});
