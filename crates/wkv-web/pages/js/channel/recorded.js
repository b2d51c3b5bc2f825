/** Keys and values that were recorded from the model, as the site has them. */

const FOLDER = '../../recorded/';

/**
 * @typedef {object} Index
 * @property {string} model
 * @property {number} tokens of each channel
 * @property {number} blocks
 * @property {number} channels of each block
 * @property {number[][]} u bonuses, [block][channel], base 2
 * @property {number[][]} w decays, [block][channel], base 2
 */

/** @type {Promise<Index> | undefined} */
let index;

/** @type {Map<number, Promise<Float32Array>>} */
const blocks = new Map();

/**
 * What there is.
 *
 * @returns {Promise<Index>}
 * @throws {Error} with words for the reader
 */
export function recordedIndex() {
  index ??= fetchFile('index.json').then((response) => response.json());
  index.catch(() => (index = undefined));
  return index;
}

/**
 * The keys and values of one channel.
 *
 * @param {number} block
 * @param {number} channel
 * @returns {Promise<{ k: Float32Array, v: Float32Array, u: number, w: number }>} keys and
 *   constants base 2
 * @throws {Error} with words for the reader
 */
export async function recordedChannel(block, channel) {
  const { tokens, channels, u, w } = await recordedIndex();
  let numbers = blocks.get(block);
  if (!numbers) {
    numbers = fetchBlock(block, 2 * tokens * channels);
    blocks.set(block, numbers);
    numbers.catch(() => blocks.delete(block));
  }
  const all = await numbers;
  const part = (/** @type {number} */ start) =>
    Float32Array.from({ length: tokens }, (_, token) => all[start + token * channels + channel]);
  return { k: part(0), v: part(tokens * channels), u: u[block][channel], w: w[block][channel] };
}

/**
 * @param {number} block
 * @param {number} count numbers that it must have
 */
async function fetchBlock(block, count) {
  const response = await fetchFile(`block-${block}.bin`);
  const bytes = new DataView(await response.arrayBuffer());
  if (bytes.byteLength !== 4 * count) {
    throw new Error(`The recording of block ${block} has ${bytes.byteLength} bytes; ` +
      `expected ${4 * count}.`);
  }
  return Float32Array.from({ length: count }, (_, i) => bytes.getFloat32(4 * i, true));
}

/** @param {string} name */
async function fetchFile(name) {
  const response = await fetch(new URL(FOLDER + name, import.meta.url))
    .catch((error) => {
      throw new Error(`The recorded streams can't be fetched: ${error.message ?? error}.`);
    });
  if (!response.ok) {
    throw new Error(`The recorded streams can't be fetched: the host answers ` +
      `${response.status} for recorded/${name}.`);
  }
  return response;
}
