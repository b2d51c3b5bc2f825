/** What the page's address holds. */

import { choice, flag, number, words } from '../common/url-state.js';

/** Inputs that make a channel of the published model's kinds, base 2. */
export const PRESETS = {
  'early block': { u: 0.4, w: -0.6, course: 'wandering' },
  'deep block': { u: 0.1, w: -0.05, course: 'wandering' },
  'slow tail': { u: 0.72, w: -0.0098, course: 'wandering' },
  'fast flush': { u: -0.07, w: -26.5, course: 'independent' },
};

/** Steps that can be gone to: as many as are kept. */
export const LAST_STEP = 1023;

export const COURSES = /** @type {const} */ (['wandering', 'independent', 'held']);

/** Numbers on the inputs, in the address as `u:0.4,w:-0.6`. */
const inputs = {
  initial: /** @type {Record<string, number>} */ ({ ...onlyNumbers(PRESETS['early block']) }),
  /** @param {string} text */
  parse(text) {
    /** @type {Record<string, number>} */
    const numbers = {};
    for (const part of text === '' ? [] : text.split(',')) {
      const [name, value, more] = part.split(':');
      const parsed = Number(value);
      const isNumber = value !== undefined && value.trim() !== '' && Math.abs(parsed) < 2 ** 32;
      if (!/^\w{1,20}$/.test(name) || !isNumber || more !== undefined) return undefined;
      numbers[name] = parsed;
    }
    return numbers;
  },
  /** @param {Record<string, number>} numbers */
  print(numbers) {
    return Object.keys(numbers)
      .sort()
      .map((name) => `${name}:${numbers[name]}`)
      .join(',');
  },
};

/** @param {typeof PRESETS['early block']} preset */
function onlyNumbers({ u, w }) {
  return { u, w };
}

/** The fields of the address. */
export const FIELDS = {
  spec: words('classic:q8.8', 80),
  unit: words('cell', 20),
  style: choice('gates', ['gates', 'carry']),
  at: words('', 600),
  step: number(0, 0, LAST_STEP, { whole: true }),
  course: choice('wandering', COURSES),
  seed: number(1, 0, 2 ** 32 - 1, { whole: true }),
  inputs,
  path: flag(true),
};

/** @typedef {import('../common/url-state.js').Values<typeof FIELDS>} State */
