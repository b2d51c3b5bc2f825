/** Where tokens come from: each stream tells the key and the value of any token. */

/**
 * @typedef {object} Stream
 * @property {number} length tokens there are; infinite if it has no end
 * @property {(token: number) => { k: number, v: number }} at key (base 2) and value of a token
 */

/** The shortest and the longest period of a wandering signal, in tokens. */
const PERIODS = [4, 256];

/** Sines in a wandering signal. */
const SINES = 3;

/** A burst: so many tokens with keys raised and values enlarged, their signs in turn. */
export const BURST = { tokens: 8, key: 8, value: 4 };

/**
 * Sums of three sines with random phases, whose periods lie evenly in their logarithm.
 *
 * @param {number} seed
 * @param {number} keys RMS of the keys
 * @param {number} values RMS of the values
 * @returns {Stream}
 */
export function sines(seed, keys, values) {
  const [key, value] = [wandering(seed, 0), wandering(seed, 1)];
  return { length: Infinity, at: (n) => ({ k: keys * key(n), v: values * value(n) }) };
}

/**
 * Every token's own draw from the normal distribution.
 *
 * @param {number} seed
 * @param {number} keys RMS of the keys
 * @param {number} values RMS of the values
 * @returns {Stream}
 */
export function random(seed, keys, values) {
  return {
    length: Infinity,
    at: (n) => ({ k: keys * normal(seed, 4 * n), v: values * normal(seed, 4 * n + 2) }),
  };
}

/**
 * Keys and values that are there already.
 *
 * @param {ArrayLike<number>} k
 * @param {ArrayLike<number>} v as many
 * @param {number} [scale] what a number is multiplied by
 * @returns {Stream}
 */
export function list(k, v, scale = 1) {
  return { length: k.length, at: (n) => ({ k: k[n] * scale, v: v[n] * scale }) };
}

/**
 * A stream with bursts.
 *
 * @param {Stream} stream
 * @param {readonly number[]} bursts the tokens at which they begin, rising
 * @returns {Stream}
 */
export function withBursts(stream, bursts) {
  if (bursts.length === 0) return stream;
  return {
    length: stream.length,
    at(n) {
      const { k, v } = stream.at(n);
      const start = bursts.findLast((token) => token <= n) ?? -Infinity;
      if (n - start >= BURST.tokens) return { k, v };
      const sign = (n - start) % 2 === 0 ? 1 : -1;
      return { k: k + BURST.key, v: sign * (Math.abs(v) + BURST.value) };
    },
  };
}

/**
 * A signal of mean 0 and RMS 1.
 *
 * @param {number} seed
 * @param {number} which signals of one seed differ by it
 * @returns {(token: number) => number}
 */
function wandering(seed, which) {
  const parts = Array.from({ length: SINES }, (_, i) => {
    const place = 1e6 + 8 * (which * SINES + i);
    const period = PERIODS[0] * (PERIODS[1] / PERIODS[0]) ** uniform(seed, place);
    return { rate: (2 * Math.PI) / period, phase: 2 * Math.PI * uniform(seed, place + 1) };
  });
  const amplitude = Math.sqrt(2 / SINES);
  return (n) =>
    amplitude * parts.reduce((sum, { rate, phase }) => sum + Math.sin(rate * n + phase), 0);
}

/**
 * A draw from the normal distribution (Box and Muller, 1958).
 *
 * @param {number} seed
 * @param {number} place two places are used
 */
function normal(seed, place) {
  const radius = Math.sqrt(-2 * Math.log(1 - uniform(seed, place)));
  return radius * Math.cos(2 * Math.PI * uniform(seed, place + 1));
}

/**
 * A number from 0 to below 1 that depends on a seed and a place alone, so that any token can be
 * drawn without those before it. The mixing is the finaliser of MurmurHash3 (Appleby, 2011), twice.
 *
 * @param {number} seed
 * @param {number} place
 */
function uniform(seed, place) {
  return mix(mix((seed ^ 0x9e3779b9) | 0) ^ place) / 2 ** 32;
}

/** @param {number} x */
function mix(x) {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return (x ^ (x >>> 16)) >>> 0;
}
