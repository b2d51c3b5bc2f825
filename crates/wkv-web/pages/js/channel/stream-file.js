/** Stream files of `wkv run`: read, checked, run, and written back with the results. */

import {
  Channel, EXPONENTIALS, GREATEST, LEAST, noCounts, parseSpec, REGISTERS, specText,
} from './numerics.js';

/** What a file of streams looks like. */
const FORM = '{"spec": "classic:q8.8", "k": [[..]], "v": [[..]], "u": [..], "w": [..]}';

/**
 * @typedef {object} FileStream raw integers
 * @property {import('./numerics.js').Spec | null} spec null where the file names none
 * @property {number[][]} k keys, [channel][token]
 * @property {number[][]} v values, [channel][token]
 * @property {number[]} u bonus of each channel
 * @property {number[]} w decay of each channel
 */

/**
 * Reads the streams of a file.
 *
 * @param {string} name the file's; one that ends in `.jsonl` has a stream a line
 * @param {string} text
 * @returns {FileStream[]}
 * @throws {Error} with words for the reader
 */
export function parseStreams(name, text) {
  if (text.trim() === '') throw new Error(`${name} is empty; expected ${FORM}.`);
  if (!name.endsWith('.jsonl')) return [parseStream(name, text)];
  return text
    .split('\n')
    .map((line, i) => ({ line, place: `${name}, line ${i + 1}` }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, place }) => parseStream(place, line));
}

/**
 * @param {string} place
 * @param {string} text
 * @returns {FileStream}
 */
function parseStream(place, text) {
  const fault = (/** @type {string} */ what) => new Error(`${place}: ${what}.`);
  let json;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw fault(`no JSON (${/** @type {Error} */ (error).message}); expected ${FORM}`);
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw fault(`no object; expected ${FORM}`);
  }
  const spec = readSpec(json.spec, fault);
  const [u, w] = ['u', 'w'].map((key) => numbers(json[key], `"${key}"`, fault));
  const [k, v] = ['k', 'v'].map((key) => rows(json[key], key, fault));
  checkShape({ k, v, u, w }, fault);
  if (k.length === 0) throw fault('it has no channels; expected at least one');
  if (k[0].length === 0) throw fault('it has no tokens; expected at least one');
  return { spec, k, v, u, w };
}

/** @typedef {(what: string) => Error} Fault */

/**
 * @param {unknown} text
 * @param {Fault} fault
 */
function readSpec(text, fault) {
  if (text === undefined || text === null) return null;
  const spec = typeof text === 'string' ? parseSpec(text) : undefined;
  if (spec) return spec;
  throw fault(`its spec is ${shown(text)}; expected one of raw integers, such as ` +
    '"classic:q8.8"');
}

/** The most characters of a file that a message repeats. */
const MOST_REPEATED = 60;

/**
 * A value of a file as a message shows it: what is inside of lists and objects is left out.
 *
 * @param {unknown} value
 */
function shown(value) {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > MOST_REPEATED ? `${text.slice(0, MOST_REPEATED)}…` : text;
}

/**
 * @param {unknown} list
 * @param {string} key
 * @param {Fault} fault
 */
function rows(list, key, fault) {
  if (!Array.isArray(list)) throw fault(`"${key}" is no list of lists; expected ${FORM}`);
  return list.map((row, channel) => numbers(row, `"${key}" in channel ${channel}`, fault));
}

/**
 * @param {unknown} list
 * @param {string} place
 * @param {Fault} fault
 * @returns {number[]}
 */
function numbers(list, place, fault) {
  if (!Array.isArray(list)) throw fault(`${place} is no list; expected ${FORM}`);
  const wrong = list.findIndex((x) => !(Number.isInteger(x) && x >= LEAST && x <= GREATEST));
  if (wrong < 0) return list;
  const which = place.includes('channel') ? ', token' : ' in channel';
  throw fault(`${place}${which} ${wrong} is ${shown(list[wrong])}; expected a raw ` +
    `integer from ${LEAST} to ${GREATEST}`);
}

/**
 * @param {Pick<FileStream, 'k' | 'v' | 'u' | 'w'>} stream
 * @param {Fault} fault
 */
function checkShape({ k, v, u, w }, fault) {
  for (const [name, list] of Object.entries({ v, u, w })) {
    if (list.length === k.length) continue;
    throw fault(`"${name}" has length ${list.length}, "k" has length ${k.length}; expected an ` +
      'entry a channel in each');
  }
  for (const [name, list] of Object.entries({ k, v })) {
    const channel = list.findIndex((row) => row.length !== k[0].length);
    if (channel < 0) continue;
    throw fault(`"${name}" in channel ${channel} has length ${list[channel].length}, "k" in ` +
      `channel 0 has length ${k[0].length}; expected a number a token in each`);
  }
}

/** What the channels of a stream come to, one after another. */
export class StreamResult {
  #stream;
  #spec;
  #engine;
  #ways;
  /** @type {{ out: number[][], aa: number[], bb: number[], pp: number[] }} */
  #results = { out: [], aa: [], bb: [], pp: [] };
  #saturations = noCounts(REGISTERS);
  #underflows = noCounts(EXPONENTIALS);

  /**
   * @param {FileStream} stream
   * @param {import('./numerics.js').Spec} spec
   * @param {string} engine as the result says it
   * @param {(u: number, w: number) => import('./run.js').Way[]} [ways] for raw constants; they must
   *   all give the numbers of JavaScript
   */
  constructor(stream, spec, engine, ways = () => []) {
    this.#stream = stream;
    this.#spec = spec;
    this.#engine = engine;
    this.#ways = ways;
  }

  /**
   * Runs the next channel.
   *
   * @throws {Error} at the first number on which a way and JavaScript differ
   */
  runChannel() {
    const c = this.#results.out.length;
    const { k, v, u, w } = this.#stream;
    const channel = new Channel(this.#spec, u[c], w[c]);
    const rows = k[c].map((key, token) => {
      const out = channel.step(key, v[c][token]);
      return [out, channel.aa, channel.bb, channel.pp];
    });
    check(rows, this.#ways(u[c], w[c]), this.#stream, c);
    this.#results.out.push(rows.map(([out]) => out));
    for (const name of /** @type {const} */ (['aa', 'bb', 'pp'])) {
      this.#results[name].push(channel[name]);
    }
    for (const name of REGISTERS) this.#saturations[name] += channel.saturations[name];
    for (const name of EXPONENTIALS) this.#underflows[name] += channel.underflows[name];
  }

  /** What `wkv run` writes for the stream, key by key. */
  json() {
    const { k, v, u, w } = this.#stream;
    return {
      spec: specText(this.#spec),
      engine: this.#engine,
      k,
      v,
      u,
      w,
      ...this.#results,
      saturations: this.#saturations,
      underflows: EXPONENTIALS.reduce((sum, name) => sum + this.#underflows[name], 0),
      underflows_by_exponential: this.#underflows,
    };
  }
}

/**
 * Lets other ways compute a channel too.
 *
 * @param {number[][]} rows by JavaScript
 * @param {import('./run.js').Way[]} ways
 * @param {FileStream} stream
 * @param {number} c the channel
 */
function check(rows, ways, stream, c) {
  const [k, v] = [Int32Array.from(stream.k[c]), Int32Array.from(stream.v[c])];
  const expected = rows.flat();
  for (const { name, channel } of ways) {
    const found = channel.run(k, v);
    channel.free?.();
    const at = expected.findIndex((number, i) => number !== found[i]);
    if (at < 0) continue;
    throw new Error(`Channel ${c}, token ${Math.floor(at / rows[0].length)}: ` +
      `${expected[at]} by JavaScript, ${found[at]} by ${name}.`);
  }
}

/**
 * The text that `wkv run --out` writes for these results: one a line.
 *
 * @param {object[]} results
 */
export function printResults(results) {
  return results.map((result) => `${JSON.stringify(result)}\n`).join('');
}
