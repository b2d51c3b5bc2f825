/** The Rust code of the language model. */

import init, * as wkv from '../../wasm/model.js';
import { start } from '../common/wasm.js';

/** @type {Promise<typeof wkv> | undefined} */
let loading;

/**
 * The module's exports; loaded at the first call.
 *
 * @returns {Promise<typeof wkv>}
 * @throws {Error} with words for the reader, as [`start`].
 */
export function loadWasm() {
  loading ??= start(init, 'model_bg.wasm').then(() => wkv);
  return loading;
}
