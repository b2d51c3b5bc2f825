/**
 * The pages' tokenizer beside the Rust side's, which tells what it gives in
 * `fixtures/tokens.json`; the test `tokens_for_the_pages` keeps that true.
 */

import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { crc32 } from 'node:zlib';

import { byteCode, bytePairCode, textStream } from '../pages/js/model/tokenizer.js';

/** @param {string} path from this folder */
const read = (path) => readFile(new URL(path, import.meta.url), 'utf8');

const expected = JSON.parse(await read('fixtures/tokens.json'));
const file = JSON.parse(await read('../../../models/stories-1.5m/tokenizer.json'));
const code = bytePairCode(file);

/**
 * @param {import('../pages/js/model/tokenizer.js').TextCode} code
 * @param {number[]} tokens
 */
function decode(code, tokens) {
  const stream = textStream(code);
  return tokens.map((token) => stream.push(token)).join('') + stream.finish();
}

test('every document of the text has the same tokens, and they its text', async () => {
  const text = await read('../../../text/stories.txt');
  const documents = text
    .split(/^<\|endoftext\|>$/m)
    .map((document) => document.trim())
    .filter((document) => document !== '');
  assert.equal(documents.length, expected.documents);
  const tokenized = documents.map((document) => code.encode(document));
  documents.forEach((document, index) => assert.equal(decode(code, tokenized[index]), document));
  const all = Uint32Array.from(tokenized.flatMap((tokens) => [...tokens, 0]));
  assert.equal(all.length - documents.length, expected.tokens);
  assert.equal(crc32(new Uint8Array(all.buffer)), expected.crc32);
});

test('odd texts have the same tokens, and they the same text', () => {
  for (const { text, tokens, decoded } of expected.odd) {
    assert.deepEqual(code.encode(text), tokens, JSON.stringify(text));
    assert.equal(decode(code, tokens), decoded, JSON.stringify(text));
  }
});

test('a character comes when its last byte does', () => {
  const stream = textStream(byteCode());
  const pieces = [...new TextEncoder().encode('a☃b')].map((byte) => stream.push(byte));
  assert.deepEqual(pieces, ['a', '', '', '☃', 'b']);
  assert.equal(stream.push(0xe2) + stream.push(0), '');
  assert.equal(stream.finish(), '\ufffd');
});

test('vocabularies are counted to the highest token', () => {
  assert.equal(code.vocabulary, 2048);
  assert.equal(byteCode().vocabulary, 256);
  const added = { id: 3000, content: '<|more|>', special: true };
  const more = { ...file, added_tokens: [...file.added_tokens, added] };
  assert.equal(bytePairCode(more).vocabulary, 3001);
});

test('characters without tokens are named', () => {
  assert.deepEqual(code.missing('Zoë ☃'), []);
  const { Z, ...vocab } = file.model.vocab;
  const merges = file.model.merges.filter((/** @type {string[]} */ pair) => !pair.includes('Z'));
  const lacking = bytePairCode({ ...file, model: { ...file.model, vocab, merges } });
  assert.deepEqual(lacking.missing('Zoë Zed'), ['Z']);
});
