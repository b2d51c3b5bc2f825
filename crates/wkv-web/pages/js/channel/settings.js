/** What the page's reader may choose, as it stands in the address. */

import { choice, flag, number } from '../common/url-state.js';

/** Bits of every raw number. */
const BITS = 16;

/** The published formats first, then all others by rising fraction bits. */
export const FORMATS = [8, 10, 6, 2, 3, 4, 5, 7, 9, 11, 12, 13, 14].map(formatName);

/** Entries of the exponential's table. */
export const TABLES = ['4', '8', '16', '32', '64', '128', '256'];

/** How the quotient is computed, with what a reader should know of each. */
export const DIVISIONS = {
  restoring: 'restoring',
  newton: 'Newton, by a reciprocal',
  exact: 'exact, to nearest',
};

/** Where the tokens come from. */
export const SOURCES = {
  sines: 'wandering sines',
  random: 'random',
  recorded: 'recorded from the model',
  file: 'a stream file',
};

/** Tokens a second. */
export const SPEEDS = ['1', '4', '15', '30', '60', '240', '960', '3840', '15360', '61440'];

/** Factors that the error can be magnified by. */
export const FACTORS = ['auto', '1', '4', '16', '64', '256', '1024', '4096'];

/** The published model's decays and bonuses, base 2. */
export const DECAYS = { fastest: -26.5, slowest: -0.0098 };
export const BONUSES = { least: -0.07, greatest: 0.72 };

/** The most tokens that a run is repeated for when a control changes, or an address asks for. */
export const MOST_REPLAYED = 65536;

/** The most bursts that an address holds. */
const MOST_BURSTS = 64;

/** A middling bonus: no preset of a decay says anything about it. */
const BONUS = 0.325;

/** The constants of streams that have none of their own. */
export const CONSTANTS = { u: BONUS, w: -1.2 };

/**
 * Kinds of channels of the published model: the median decays of an early and of a deep block, and
 * its slowest and fastest channel.
 */
export const PRESETS = {
  early: { name: 'early block', ...CONSTANTS },
  deep: { name: 'deep block', w: -0.09, u: BONUS },
  tail: { name: 'slow tail', w: DECAYS.slowest, u: BONUS },
  flush: { name: 'fast flush', w: DECAYS.fastest, u: BONUS },
};

/**
 * Tokens at which bursts begin: whole numbers, rising.
 *
 * @type {import('../common/url-state.js').Field<number[]>}
 */
const bursts = {
  initial: [],
  parse(text) {
    const tokens = text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : NaN));
    const rising = tokens.every((token, i) => i === 0 || token > tokens[i - 1]);
    const fits = tokens.every((token) => token <= MOST_REPLAYED);
    return rising && fits && tokens.length <= MOST_BURSTS ? tokens : undefined;
  },
  print: (tokens) => tokens.join('.'),
};

/**
 * A number, or null for the stream's own.
 *
 * @param {number} least
 * @param {number} most
 * @returns {import('../common/url-state.js').Field<number | null>}
 */
function constant(least, most) {
  const { parse } = number(0, least, most);
  return { initial: null, parse, print: (value) => (value === null ? '' : String(value)) };
}

/**
 * Every control. `at` is the token at which the run stands still; 0 while it runs.
 *
 * @param {boolean} paused whether a page without a word about it stands still at first
 */
export function fields(paused) {
  return {
    w: constant(-128, 0),
    u: constant(-128, 128),
    format: choice('q8.8', FORMATS),
    table: choice('32', TABLES),
    interpolate: flag(true),
    division: choice('restoring', keys(DIVISIONS)),
    guard: flag(true),
    stream: choice('sines', keys(SOURCES)),
    keys: number(1, 0, 64),
    values: number(1, 0, 64),
    seed: number(1, 0, 2 ** 32 - 1, { whole: true }),
    block: number(0, 0, 1023, { whole: true }),
    channel: number(0, 0, 65535, { whole: true }),
    speed: choice('60', SPEEDS),
    factor: choice('auto', FACTORS),
    gates: flag(false),
    shortcuts: flag(true),
    bursts,
    at: number(0, 0, MOST_REPLAYED, { whole: true }),
    paused: flag(paused),
  };
}

/** @typedef {import('../common/url-state.js').Values<ReturnType<typeof fields>>} Settings */

/**
 * The spec that the settings name.
 *
 * @param {Pick<Settings, 'format' | 'table' | 'interpolate' | 'division' | 'guard'>} settings
 * @returns {import('./numerics.js').Spec}
 */
export function specOf({ format, table, interpolate, division, guard }) {
  const fraction = Number(format.split('.')[1]);
  return { fraction, entries: Number(table), interpolate, division, guard };
}

/**
 * The settings that name a spec: the reverse of [`specOf`].
 *
 * @param {import('./numerics.js').Spec} spec
 */
export function settingsOf({ fraction, entries, interpolate, division, guard }) {
  const [format, table] = [formatName(fraction), String(entries)];
  return { format, table, interpolate, division, guard };
}

/** @param {number} fraction */
function formatName(fraction) {
  return `q${BITS - fraction}.${fraction}`;
}

/**
 * @template {string} K
 * @param {Record<K, unknown>} object
 */
function keys(object) {
  return /** @type {K[]} */ (Object.keys(object));
}
