/**
 * Text to tokens and back, as the Rust side does it.
 *
 * Tokens of a text come from Hugging Face's library. The text of tokens is put together here from
 * their bytes, since a character may need several of them.
 */

import { Tokenizer } from '../../vendor/tokenizers.min.mjs';

/** The token that starts every sequence and has no text. */
const END_OF_TEXT = 0;

/**
 * @typedef {object} TextCode
 * @property {number} vocabulary number of tokens: the highest one plus one
 * @property {(text: string) => number[]} encode
 * @property {(token: number) => Uint8Array} bytes the bytes of a token's text
 * @property {(text: string) => string[]} missing the characters of a text that have no tokens
 */

/**
 * The vocabulary of the 256 bytes.
 *
 * @returns {TextCode}
 */
export function byteCode() {
  return {
    vocabulary: 256,
    encode: (text) => [...new TextEncoder().encode(text)],
    bytes: (token) => (token === END_OF_TEXT ? new Uint8Array() : Uint8Array.of(token)),
    missing: () => [],
  };
}

/**
 * The code of a `tokenizer.json` that is byte-level byte-pair encoding.
 *
 * @param {any} file the file, parsed
 * @returns {TextCode}
 * @throws {Error} if the library refuses it
 */
export function bytePairCode(file) {
  // What would be added around a text is not asked for.
  const tokenizer = new Tokenizer({ ...file, post_processor: null }, {});
  const tokens = [...tokenizer.get_vocab(true).values()];
  const added = tokenizer.get_added_tokens_decoder();
  return {
    vocabulary: tokens.reduce((most, token) => Math.max(most, token), -1) + 1,
    encode: (text) => (text ? tokenizer.encode(text, { add_special_tokens: false }).ids : []),
    bytes(token) {
      if (added.get(token)?.special) return new Uint8Array();
      return bytesOf(tokenizer.id_to_token(token) ?? '');
    },
    missing: (text) =>
      [...new Set(text)].filter((character) =>
        [...new TextEncoder().encode(character)].some(
          (byte) => tokenizer.token_to_id(CHARACTERS[byte]) === undefined,
        ),
      ),
  };
}

/** The printable character that stands for each byte: itself, or one from U+0100 on. */
const CHARACTERS = charactersOfBytes();

function charactersOfBytes() {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const printable =
      (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xff && byte !== 0xad);
    return String.fromCodePoint(printable ? byte : next++);
  });
}

const BYTES = new Map(CHARACTERS.map((character, byte) => [character, byte]));

/**
 * The bytes that a token's characters stand for; a token of other characters stands for itself.
 *
 * @param {string} token
 */
function bytesOf(token) {
  const bytes = [...token].map((character) => BYTES.get(character));
  return bytes.includes(undefined)
    ? new TextEncoder().encode(token)
    : Uint8Array.from(/** @type {number[]} */ (bytes));
}

/**
 * The text of tokens that come one by one.
 *
 * @param {TextCode} code
 */
export function textStream(code) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return {
    /**
     * The characters that `token` completes.
     *
     * @param {number} token
     */
    push: (token) => decoder.decode(code.bytes(token), { stream: true }),
    /** What the last tokens left incomplete. */
    finish: () => decoder.decode(),
  };
}
