/** The start of the Rust code of the pages, and what a page says where it can't run. */

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

/**
 * Starts a module of WebAssembly.
 *
 * @param {(options: { module_or_path: URL }) => Promise<unknown>} init the module's own start
 * @param {string} file its name in the folder `wasm`
 * @throws {Error} with words for the reader, if this browser can't run it or it can't be fetched.
 */
export async function start(init, file) {
  const missing = missingFeature();
  if (missing) throw new Error(missing);
  try {
    await init({ module_or_path: new URL(`../../wasm/${file}`, import.meta.url) });
  } catch (error) {
    throw new Error(`The circuit's code can't be loaded: ${error}.`);
  }
}
