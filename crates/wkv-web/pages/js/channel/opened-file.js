/** The stream file that the reader has opened. */

import { grouped } from './readouts.js';
import { parseStreams, StreamResult } from './stream-file.js';

/** The largest file that is opened: 64 MiB. */
const MOST_BYTES = 2 ** 26;

/** Milliseconds of work between two looks at what the reader does. */
const SLICE = 30;

/** A file's streams, and what all their channels come to. */
export class OpenedFile {
  /**
   * @param {string} name
   * @param {import('./stream-file.js').FileStream[]} streams
   */
  constructor(name, streams) {
    this.name = name;
    this.streams = streams;
  }

  /**
   * @param {File} file
   * @throws {Error} with words for the reader
   */
  static async read(file) {
    if (file.size > MOST_BYTES) throw new Error(`${file.name} is larger than 64 MiB.`);
    return new OpenedFile(file.name, parseStreams(file.name, await file.text()));
  }

  /** The name of the file with the results. */
  get resultName() {
    return this.name.replace(/(\.jsonl?)?$/, '-out$1');
  }

  /**
   * Runs every channel of every stream, without blocking the page.
   *
   * @param {import('./numerics.js').Spec} spec of streams that name none
   * @param {{ ways: import('./ways.js').Ways | null, gates: boolean }} engine
   * @param {object} listener
   * @param {(words: string) => void} listener.say how far it is, and how it went
   * @param {() => boolean} listener.goesOn false ends the run
   * @returns {Promise<object[] | undefined>} what `wkv run` writes for each stream; undefined if the
   *   run was ended
   * @throws {Error} where ways differ
   */
  async run(spec, { ways, gates }, { say, goesOn }) {
    const name = ways ? (gates ? 'gates' : 'fixed') : 'javascript';
    let [channels, steps, pause] = [0, 0, performance.now()];
    const results = [];
    for (const stream of this.streams) {
      const own = stream.spec ?? spec;
      const result = new StreamResult(stream, own, name, ways?.of(own, gates));
      for (const tokens of stream.k) {
        result.runChannel();
        channels += 1;
        steps += tokens.length;
        if (performance.now() - pause < SLICE) continue;
        say(`${this.name}: ${grouped(steps)} steps …`);
        await new Promise((done) => setTimeout(done, 0));
        if (!goesOn()) return undefined;
        pause = performance.now();
      }
      results.push(result.json());
    }
    const others = gates ? ', the integer model and the gates' : ' and the integer model';
    say(`${this.name}: ${grouped(channels)} channels, ${grouped(steps)} steps; ` +
      `JavaScript${ways ? `${others} agree on every one` : ' alone'}.`);
    return results;
  }
}
