/** All streams of a file through all their channels, without blocking the page. */

import { runStream } from './stream-file.js';

/**
 * Runs streams one after another.
 *
 * @param {import('./stream-file.js').FileStream[]} streams
 * @param {import('./numerics.js').Spec} spec for those that name none
 * @param {{ ways: import('./ways.js').Ways | null, gates: boolean }} engine
 * @param {(steps: number) => void} progress is told after each stream
 * @returns {Promise<{ results: object[], steps: number }>} what `wkv run` writes for each, and the
 *   number of steps of all
 * @throws {Error} where ways differ
 */
export async function runFile(streams, spec, { ways, gates }, progress) {
  const results = [];
  let steps = 0;
  for (const stream of streams) {
    const own = stream.spec ?? spec;
    const name = ways ? (gates ? 'gates' : 'fixed') : 'javascript';
    results.push(runStream(stream, own, { name, ways: ways?.of(own, gates) ?? (() => []) }));
    steps += stream.k.length * stream.k[0].length;
    progress(steps);
    await new Promise((done) => setTimeout(done, 0));
  }
  return { results, steps };
}
