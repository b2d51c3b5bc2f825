/** What holds for every page. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import { suite } from './harness.mjs';

/** Bytes that a page may download, compressed, without models and recorded streams. */
const MOST = 400_000;

const PAGES = ['index', 'channel', 'circuit', 'model', 'gallery'];

suite('every page', (pages) => {
  test('reaches every other one, and has one main heading', async () => {
    for (const name of PAGES) {
      const page = await pages.open(`${name}.html`);
      const links = await page.locator('nav[aria-label="Pages"] a').evaluateAll((all) =>
        all.map((link) => link.getAttribute('href')),
      );
      assert.deepEqual(links, PAGES.map((other) => `${other}.html`));
      const current = page.locator('nav[aria-label="Pages"] [aria-current="page"]');
      assert.equal(await current.getAttribute('href'), `${name}.html`);
      assert.equal(await page.locator('h1').count(), 1);
      pages.assertQuiet(page);
      await page.context().close();
    }
  });

  test('downloads less than 400 KB compressed', async (t) => {
    /** @type {Map<string, number>} */
    const files = new Map();
    for (const name of PAGES) {
      const { page } = await pages.blank(`${name}.html`);
      /** @type {Promise<number>[]} */
      const sizes = [];
      page.on('response', (response) => {
        if (/\/(models|recorded)\//.test(response.url())) return;
        const sized = response.body().then((body) => {
          const size = gzipSync(body, { level: 9 }).length;
          files.set(response.url(), size);
          return size;
        });
        sizes.push(sized);
      });
      await page.goto(`${pages.address}${name}.html`, { waitUntil: 'networkidle' });
      const size = (await Promise.all(sizes)).reduce((all, one) => all + one, 0);
      t.diagnostic(`${name}: ${size} bytes in ${sizes.length} files`);
      assert.ok(size < MOST, `${name}: ${size} bytes`);
      await page.context().close();
    }
    const all = [...files.values()].reduce((sum, size) => sum + size, 0);
    t.diagnostic(`every file once: ${all} bytes in ${files.size} files`);
  });

  test('fits a phone, whatever the address says', async () => {
    const long = 'x'.repeat(8_000);
    const spec = 'classic:q14.2:lut256:nointerp:div=newton:noguard';
    for (const address of [
      ...PAGES.map((name) => `${name}.html?${long}&__proto__=1&constructor=%F0%9F%98%80%00`),
      'channel.html?format=q14.2&table=256&interpolate=0&division=newton&guard=0&keys=64&values=64',
      `circuit.html?spec=${spec}`,
      `model.html?a=${spec}@gates&b=${spec}&prompt=${long}`,
    ]) {
      const page = await pages.open(address, { width: 320, height: 640 });
      await page.waitForTimeout(300);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 320, `${address.slice(0, 60)}: ${width} pixels wide`);
      pages.assertQuiet(page);
      await page.context().close();
    }
  });

  test('without JavaScript says what it needs', async () => {
    for (const name of PAGES) {
      const markup = await (await fetch(`${pages.address}${name}.html`)).text();
      assert.equal(/<noscript>/.test(markup), name !== 'index', name);
    }
  });

  test('the folder itself is the story', async () => {
    const page = await pages.open('');
    assert.equal(await page.locator('nav [aria-current="page"]').textContent(), 'The story');
    pages.assertQuiet(page);
  });

  test('a file that is not there is told', async () => {
    const response = await fetch(`${pages.address}nothing.html`);
    assert.equal(response.status, 404);
    assert.match(await response.text(), /nothing\.html: there is no such file/);
  });

  test('nothing but its own files may run', async () => {
    const policy = (await fetch(pages.address)).headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|https?:/);
  });
});
