/**
 * The Rust code of the pages as one WebAssembly module, and what a page says where it can't run.
 */

import init, * as wkv from '../../wasm/wkv_web.js';

/** A function whose body is one instruction on vectors; a browser without SIMD refuses it. */
const SIMD = new Uint8Array([
  0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00, 0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b, 0x03,
  0x02, 0x01, 0x00, 0x0a, 0x0a, 0x01, 0x08, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0xfd, 0x62, 0x0b,
]);

/** What this browser can't do, in words for the reader; null where nothing is missing. */
export function missingFeature() {
  if (typeof WebAssembly !== 'object') return 'This browser has no WebAssembly.';
  if (!WebAssembly.validate(SIMD)) return 'This browser has WebAssembly, but not its SIMD.';
  return null;
}

/** @type {Promise<typeof wkv> | undefined} */
let loading;

/**
 * The module's exports; loaded at the first call.
 *
 * @returns {Promise<typeof wkv>}
 * @throws {Error} with words for the reader, if this browser can't run it or it can't be fetched.
 */
export function loadWasm() {
  loading ??= load();
  return loading;
}

async function load() {
  const missing = missingFeature();
  if (missing) throw new Error(missing);
  try {
    await init({ module_or_path: new URL('../../wasm/wkv_web_bg.wasm', import.meta.url) });
  } catch (error) {
    throw new Error(`The circuit's code can't be loaded: ${error}`);
  }
  return wkv;
}
