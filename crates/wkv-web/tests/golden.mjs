/** Numbers that the published circuit produced, as the tests of the pages read them. */

import { readFileSync } from 'node:fs';

/**
 * @typedef {object} Streams channels of one spec, raw integers
 * @property {string} spec
 * @property {number[][]} k keys, [channel][token]
 * @property {number[][]} v values, [channel][token]
 * @property {number[]} u bonus of each channel
 * @property {number[]} w decay of each channel
 * @property {number[][]} out outputs, [channel][token]
 * @property {number[]} aa final states
 * @property {number[]} bb
 * @property {number[]} pp
 * @property {{ aa: number, bb: number, pp: number, lut: number }} [page_clips] saturations of the
 *   state's update, and exponentials of all four that became 0
 */

/** @param {string} name */
function read(name) {
  return readFileSync(new URL(`../../wkv/tests/golden/${name}`, import.meta.url), 'utf8');
}

/** 2^-x of every x from 0. @returns {{ spec: string, out: number[] }} */
export function exponentials() {
  return JSON.parse(read('exp2-q8.8.json'));
}

/** Single steps from any state. @returns {{ spec: string, columns: string[], rows: number[][] }} */
export function steps() {
  return JSON.parse(read('steps-q8.8.json'));
}

/** Every stream. @returns {Streams[]} */
export function streams() {
  const lines = read('streams-formats.jsonl').trim().split('\n');
  return [read('streams-q8.8.json'), ...lines].map((text) => JSON.parse(text));
}
