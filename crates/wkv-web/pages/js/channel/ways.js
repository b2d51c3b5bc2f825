/** The ways to compute a channel that are Rust, compiled to WebAssembly. */

import { loadWasm } from '../common/circuits.js';
import { specText } from './numerics.js';

/** Compiled cells that are kept. */
const MOST_CELLS = 4;

/** @typedef {Awaited<ReturnType<typeof loadWasm>>} Wasm */

/** The integer model, and the gates of any spec. */
export class Ways {
  #wasm;
  /** @type {Map<string, import('../../wasm/circuits.js').CompiledCell>} */
  #cells = new Map();

  /** @param {Wasm} wasm */
  constructor(wasm) {
    this.#wasm = wasm;
  }

  /** @throws {Error} with words for the reader, where there is no WebAssembly */
  static async load() {
    return new Ways(await loadWasm());
  }

  /**
   * Ways for raw constants.
   *
   * @param {import('./numerics.js').Spec} spec
   * @param {boolean} gates whether the gates, too
   * @returns {(u: number, w: number) => import('./run.js').Way[]}
   */
  of(spec, gates) {
    const text = specText(spec);
    return (u, w) => {
      const ways = [
        { name: 'the integer model', channel: new this.#wasm.IntegerChannel(text, u, w) },
      ];
      if (!gates) return ways;
      return [...ways, { name: 'the gates', channel: this.cell(spec).channel(u, w) }];
    };
  }

  /**
   * The cell of a spec, built when it is first asked for.
   *
   * @param {import('./numerics.js').Spec} spec
   */
  cell(spec) {
    const text = specText(spec);
    const cell = this.#cells.get(text) ?? new this.#wasm.CompiledCell(text);
    this.#cells.delete(text);
    this.#cells.set(text, cell);
    for (const [old, built] of this.#cells) {
      if (this.#cells.size <= MOST_CELLS) break;
      built.free();
      this.#cells.delete(old);
    }
    return cell;
  }
}
