/** The Rust code of channels, circuits and cells. */

import init, * as wkv from '../../wasm/circuits.js';
import { start } from './wasm.js';

/** @type {Promise<typeof wkv> | undefined} */
let loading;

/**
 * The module's exports; loaded at the first call.
 *
 * @returns {Promise<typeof wkv>}
 * @throws {Error} with words for the reader, as [`start`].
 */
export function loadWasm() {
  loading ??= start(init, 'circuits_bg.wasm').then(() => wkv);
  return loading;
}
