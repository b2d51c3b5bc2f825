/** One run: a stream through double precision and the circuit's numerics, computed several ways. */

import { FloatChannel } from './float.js';
import { Channel, quantise } from './numerics.js';
import { ErrorCurve } from './statistics.js';

/** Numbers in the row of a step. */
export const COLUMNS = ['out', 'aa', 'bb', 'pp'];

/** Tokens that are taken at once. */
const CHUNK = 512;

/**
 * Another way to compute the same: takes raw keys and values, gives a row of `COLUMNS` for each.
 *
 * @typedef {object} Way
 * @property {string} name as in "by the gates"
 * @property {{ run(k: Int32Array, v: Int32Array): Int32Array, free?(): void }} channel at its start
 */

/**
 * The first row on which two ways differ.
 *
 * @typedef {object} Difference
 * @property {string} way
 * @property {number} token from 1
 * @property {number[]} expected the row by JavaScript
 * @property {number[]} found
 */

/** The last samples of a signal. */
export class Ring {
  /** @param {number} length */
  constructor(length) {
    this.samples = new Float64Array(length);
    this.count = 0;
  }

  /** @param {number} sample */
  push(sample) {
    this.samples[this.count % this.samples.length] = sample;
    this.count += 1;
  }

  /** The sample of a token from 0. @param {number} token one of the last ones */
  at(token) {
    return this.samples[token % this.samples.length];
  }
}

/** Samples that are kept for the picture. */
export const KEPT = 1024;

/** A run from its first token; repeated from there whenever a control changes. */
export class Run {
  /**
   * @param {object} parts
   * @param {import('./numerics.js').Spec} parts.spec
   * @param {number} parts.u bonus, base 2
   * @param {number} parts.w decay, base 2
   * @param {import('./streams.js').Stream} parts.stream
   * @param {(u: number, w: number) => Way[]} [parts.ways] other ways than JavaScript, for raw
   *   constants
   */
  constructor({ spec, u, w, stream, ways = () => [] }) {
    this.spec = spec;
    this.stream = stream;
    this.step = 0;
    this.float = new FloatChannel(u, w);
    /** Inputs that did not fit the format. */
    this.inputs = { k: 0, v: 0, u: 0, w: 0 };
    this.circuit = new Channel(spec, this.#raw('u', u), this.#raw('w', w));
    /** @type {{ way: Way, agreed: number }[]} */
    this.ways = ways(this.circuit.u, this.circuit.w).map((way) => ({ way, agreed: 0 }));
    /** @type {Difference | null} */
    this.difference = null;
    this.curve = new ErrorCurve();
    this.v = new Ring(KEPT);
    this.exact = new Ring(KEPT);
    this.rounded = new Ring(KEPT);
  }

  /** Whether the stream has no more tokens. */
  get ended() {
    return this.step >= this.stream.length;
  }

  /**
   * Takes tokens, all ways in step.
   *
   * @param {number} count at most so many; fewer at the stream's end
   * @returns {number} how many it were
   */
  advance(count) {
    const taken = Math.max(0, Math.min(count, CHUNK, this.stream.length - this.step));
    const [k, v] = [new Int32Array(taken), new Int32Array(taken)];
    const rows = new Int32Array(COLUMNS.length * taken);
    for (let i = 0; i < taken; i += 1) {
      const real = this.stream.at(this.step + i);
      k[i] = this.#raw('k', real.k);
      v[i] = this.#raw('v', real.v);
      const out = this.circuit.step(k[i], v[i]);
      rows.set([out, this.circuit.aa, this.circuit.bb, this.circuit.pp], COLUMNS.length * i);
      this.#record(real.v, this.float.step(real.k, real.v), out / 2 ** this.spec.fraction);
    }
    for (const one of this.ways) this.#compare(one, one.way.channel.run(k, v), rows);
    this.step += taken;
    return taken;
  }

  /** Frees what the other ways hold. */
  free() {
    for (const { way } of this.ways) way.channel.free?.();
  }

  /**
   * @param {'k' | 'v' | 'u' | 'w'} name
   * @param {number} real
   */
  #raw(name, real) {
    const { fraction } = this.spec;
    const raw = quantise(real, fraction);
    // What is nearer than half a step to a raw number fits.
    const off = real * 2 ** fraction - raw;
    if (off < -0.5 || off >= 0.5) this.inputs[name] += 1;
    return raw;
  }

  /**
   * @param {number} v
   * @param {number} exact
   * @param {number} rounded
   */
  #record(v, exact, rounded) {
    this.v.push(v);
    this.exact.push(exact);
    this.rounded.push(rounded);
    this.curve.record(rounded - exact);
  }

  /**
   * @param {{ way: Way, agreed: number }} one
   * @param {Int32Array} found
   * @param {Int32Array} rows
   */
  #compare(one, found, rows) {
    const different = rows.findIndex((number, i) => number !== found[i]);
    const width = COLUMNS.length;
    const steps = rows.length / width;
    const agreed = different < 0 ? steps : Math.floor(different / width);
    // What comes after a difference tells nothing.
    const held = one.agreed === this.step;
    if (held) one.agreed += agreed;
    if (agreed === steps || !held || this.difference) return;
    const row = (/** @type {Int32Array} */ all) =>
      Array.from(all.subarray(width * agreed, width * (agreed + 1)));
    const token = this.step + agreed + 1;
    this.difference = { way: one.way.name, token, expected: row(rows), found: row(found) };
  }
}
