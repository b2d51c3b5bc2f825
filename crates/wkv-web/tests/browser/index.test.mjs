/** The story page, as readers see it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { assertLooks, suite } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

/** The figures of the page that must be somewhere, as text. */
const PICTURES = ['recurrence', 'level', 'table', 'word', 'formats-picture'];

/**
 * The addresses that a page's links lead to, each once.
 *
 * @param {Page} page
 * @returns {Promise<string[]>}
 */
function links(page) {
  return page.evaluate(() => {
    const anchors = /** @type {HTMLAnchorElement[]} */ ([...document.querySelectorAll('a[href]')]);
    return [...new Set(anchors.map((anchor) => anchor.href))];
  });
}

suite('the story', (pages) => {
  test('it is fit to look at and to be read aloud, on a phone and on a laptop', async () => {
    await assertLooks(pages, 'index.html', 'index');
  });

  test('every link leads to a page or to a part of one', async () => {
    const page = await pages.open('index.html');
    for (const link of await links(page)) {
      const url = new URL(link);
      assert.ok(link.startsWith(pages.address), `${link} leads elsewhere`);
      const response = await page.request.get(url.origin + url.pathname);
      assert.equal(response.status(), 200, link);
      if (url.hash !== '' && url.pathname.endsWith('index.html')) {
        assert.equal(await page.locator(url.hash).count(), 1, link);
      }
    }
  });

  test('pictures say in words what they show', async () => {
    const page = await pages.open('index.html');
    for (const id of PICTURES) {
      const words = await page.locator(`#${id}-title, #${id}-description`).allTextContents();
      assert.equal(words.length, 2, id);
      assert.ok(words.every((text) => text.trim().length > 10), id);
    }
  });

  test('it says all it has to say without JavaScript, in a folder too', async () => {
    const page = await pages.open('index.html');
    assert.equal(await page.locator('script').count(), 0);
    assert.equal(await page.locator('[style], style').count(), 0);
    const addresses = await page.locator('[href], [src]').evaluateAll((elements) =>
      elements.map((element) => element.getAttribute('href') ?? element.getAttribute('src') ?? ''),
    );
    assert.deepEqual(addresses.filter((address) => /^(\/|[a-z]+:)/.test(address)), []);
    assert.doesNotMatch(await page.locator('body').innerText(), /\{\{|\}\}|NaN|Infinity|undefined/);
  });

  test('wide tables scroll by themselves and by the keyboard', async () => {
    const page = await pages.open('index.html', { width: 360, height: 740 });
    const table = page.getByRole('region', { name: 'What each format costs the model' });
    await table.focus();
    const scrolls = await table.evaluate((element) => element.scrollWidth > element.clientWidth);
    assert.ok(scrolls);
    await page.keyboard.press('ArrowRight');
    await page.waitForFunction(() => (document.activeElement?.scrollLeft ?? 0) > 0);
  });

  test('on paper it is dark ink on white, with the story and without the ways around', async () => {
    const page = await pages.open('index.html', { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const { ink, ground } = await page.evaluate(() => {
      const { color, backgroundColor } = getComputedStyle(document.body);
      return { ink: color, ground: backgroundColor };
    });
    assert.deepEqual([ink, ground], ['rgb(0, 0, 0)', 'rgb(255, 255, 255)']);
    assert.ok(!(await page.getByRole('navigation', { name: 'Pages' }).isVisible()));
  });
});
