/**
 * Pages in a real browser: served by `wkv serve`, opened in Chromium, watched for errors.
 *
 * A test file calls [`suite`] once; its tests open pages by what that gives.
 */

import { spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import assert from 'node:assert/strict';

import { chromium } from 'playwright-core';

/** @import { BrowserContext, Page } from 'playwright-core' */

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const screenshots = join(root, 'crates/wkv-web/screenshots');
const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Where the browser and the program are, unless the environment says otherwise. */
const browserPath = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const wkv = process.env.WKV ?? join(root, 'target/debug/wkv');

/** Why the browser tests can't run here; null if they can. */
export const skip =
  !existsSync(browserPath) ? `${browserPath} is not there; CHROMIUM may name a browser`
  : !existsSync(wkv) ? `${wkv} is not there; cargo build makes it`
  : !existsSync(join(root, 'crates/wkv-web/pages/wasm')) ? 'scripts/build-web was not run'
  : null;

/** Widths of a phone and of a laptop, and the two colour schemes. */
const LOOKS = /** @type {const} */ ([
  { width: 360, height: 740, colorScheme: 'light' },
  { width: 360, height: 740, colorScheme: 'dark' },
  { width: 1280, height: 800, colorScheme: 'light' },
  { width: 1280, height: 800, colorScheme: 'dark' },
]);

/**
 * Options of a page: its size, colour scheme, and whether motion is reduced.
 *
 * @typedef {object} Look
 * @property {number} [width] in pixels
 * @property {number} [height] in pixels
 * @property {'light' | 'dark'} [colorScheme]
 * @property {'reduce' | 'no-preference'} [reducedMotion]
 */

/**
 * What a suite's tests have.
 *
 * @typedef {object} Pages
 * @property {string} address of the server, ending in `/`
 * @property {(path: string, look?: Look) => Promise<Page>} open opens a page and watches it
 * @property {(path: string, look?: Look) => Promise<{ page: Page, context: BrowserContext }>} blank
 *   a page that is watched but not opened yet, to change the browser first
 * @property {(page: Page) => void} assertQuiet fails if the page logged an error, threw one, or
 *   asked for anything from elsewhere
 * @property {(page: Page, text: RegExp) => void} expectError takes errors that match off the record
 */

/**
 * Declares tests that share a server and a browser; skipped where one of them is missing.
 *
 * @param {string} name
 * @param {(pages: Pages) => void} tests
 * @param {string[]} [options] more arguments of `wkv serve`
 */
export function suite(name, tests, options = []) {
  describe(name, { skip: skip ?? false }, () => {
    /** @type {import('node:child_process').ChildProcess} */
    let server;
    /** @type {import('playwright-core').Browser} */
    let browser;
    /** @type {WeakMap<Page, string[]>} */
    const errors = new WeakMap();

    before(async () => {
      server = spawn(wkv, ['serve', '--port', '0', ...options], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      pages.address = await firstLine(server);
      browser = await chromium.launch({ executablePath: browserPath, args: FLAGS });
    });

    after(async () => {
      await browser?.close();
      server?.kill('SIGINT');
    });

    /** @type {Pages} */
    const pages = {
      address: '',
      async blank(path, look = {}) {
        const { width = 1280, height = 800, colorScheme = 'light', reducedMotion } = look;
        const context = await browser.newContext({
          viewport: { width, height },
          colorScheme,
          reducedMotion: reducedMotion ?? 'no-preference',
        });
        const page = await context.newPage();
        errors.set(page, watch(page, pages.address));
        return { page, context };
      },
      async open(path, look) {
        const { page } = await pages.blank(path, look);
        await page.goto(pages.address + path);
        return page;
      },
      assertQuiet(page) {
        assert.deepEqual(errors.get(page), []);
      },
      expectError(page, text) {
        const left = (errors.get(page) ?? []).filter((error) => !text.test(error));
        errors.get(page)?.splice(0, Infinity, ...left);
      },
    };
    tests(pages);
  });
}

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** @param {import('node:child_process').ChildProcess} child */
function firstLine(child) {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.split('\n')[0]);
    });
    child.on('exit', (code) => reject(new Error(`wkv serve ended with ${code}`)));
  });
}

/**
 * The errors of a page, from now on.
 *
 * @param {Page} page
 * @param {string} address
 */
function watch(page, address) {
  /** @type {string[]} */
  const errors = [];
  page.on('pageerror', (error) => errors.push(`threw ${error}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') {
      errors.push(`${message.type()}: ${message.text()}`);
    }
  });
  page.on('request', (request) => {
    const url = request.url();
    const local = url.startsWith(address) || url.startsWith('data:') || url.startsWith('blob:');
    if (!local) errors.push(`asked for ${url}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 400) errors.push(`${response.status()} for ${response.url()}`);
  });
  return errors;
}

/**
 * Fails if axe finds anything against the rules of accessibility.
 *
 * @param {Page} page
 */
export async function assertAccessible(page) {
  // Evaluated by the debugger, which the page's own policy does not concern.
  await page.evaluate(await readFile(axe, 'utf8'));
  const violations = await page.evaluate(async () => {
    const { violations } = await /** @type {any} */ (globalThis).axe.run();
    return violations.map((/** @type {any} */ { id, nodes }) => ({
      id,
      nodes: nodes.map((/** @type {any} */ node) => `${node.target}: ${node.failureSummary}`),
    }));
  });
  assert.deepEqual(violations, []);
}

/**
 * Opens a page in every look, keeps a picture of each under `screenshots/`, and fails if one is
 * wider than its window, or against the rules of accessibility.
 *
 * @param {Pages} pages
 * @param {string} path
 * @param {string} name of the pictures
 * @param {(page: Page) => Promise<void>} [ready] waits until the page shows what it should
 */
export async function assertLooks(pages, path, name, ready = async () => {}) {
  mkdirSync(screenshots, { recursive: true });
  for (const look of LOOKS) {
    const page = await pages.open(path, look);
    await ready(page);
    const file = `${name}-${look.width}-${look.colorScheme}.png`;
    await page.screenshot({ path: join(screenshots, file), fullPage: true });
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= look.width, `${file}: ${width} pixels wide`);
    await assertAccessible(page);
    pages.assertQuiet(page);
    await page.context().close();
  }
}

/**
 * The times between frames of a page over a while, in milliseconds, sorted.
 *
 * @param {Page} page
 * @param {number} frames
 * @returns {Promise<number[]>}
 */
export function frameTimes(page, frames) {
  return page.evaluate(
    (count) =>
      new Promise((resolve) => {
        /** @type {number[]} */
        const times = [];
        let last = performance.now();
        const frame = (/** @type {number} */ now) => {
          times.push(now - last);
          last = now;
          if (times.length < count) requestAnimationFrame(frame);
          else resolve(times.sort((a, b) => a - b));
        };
        requestAnimationFrame(frame);
      }),
    frames,
  );
}
