/** What a visitor of every page downloads, models apart. */

import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const PAGES = fileURLToPath(new URL('../pages', import.meta.url));
const MOST = 400_000;

const built = existsSync(join(PAGES, 'wasm'));

test('all pages together are under 400 KB compressed', { skip: !built }, () => {
  const files = readdirSync(PAGES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.d.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
  const sizes = files.map((file) => gzipSync(readFileSync(file), { level: 9 }).length);
  const size = sizes.reduce((all, one) => all + one, 0);
  assert.ok(size < MOST, `${size} bytes in ${files.length} files`);
});
