/**
 * A page's controls in its address, so that what is seen can be shared.
 *
 * Each control is a field: how its text is read, and what it is where the address is silent. Only
 * what differs from that is written.
 */

import { notice } from './notice.js';

/**
 * @template T
 * @typedef {object} Field
 * @property {T} initial the value where the address is silent
 * @property {(text: string) => T | undefined} parse undefined if the text is no such value
 * @property {(value: T) => string} [print] the text that parses to the value; `String` where absent
 */

/**
 * A number from `least` to `most`, a whole one if `whole`.
 *
 * @param {number} initial
 * @param {number} least
 * @param {number} most
 * @param {{ whole?: boolean }} [options]
 * @returns {Field<number>}
 */
export function number(initial, least, most, { whole = false } = {}) {
  return {
    initial,
    parse(text) {
      const value = text.trim() === '' ? NaN : Number(text);
      const fits = value >= least && value <= most && (!whole || Number.isInteger(value));
      return fits ? value : undefined;
    },
  };
}

/**
 * One of a few words.
 *
 * @template {string} T
 * @param {T} initial
 * @param {readonly T[]} words
 * @returns {Field<T>}
 */
export function choice(initial, words) {
  return { initial, parse: (text) => words.find((word) => word === text) };
}

/**
 * On or off.
 *
 * @param {boolean} initial
 * @returns {Field<boolean>}
 */
export function flag(initial) {
  return {
    initial,
    parse: (text) => (text === '1' ? true : text === '0' ? false : undefined),
    print: (value) => (value ? '1' : '0'),
  };
}

/**
 * Any text of at most `most` characters.
 *
 * @param {string} initial
 * @param {number} most
 * @returns {Field<string>}
 */
export function words(initial, most) {
  return { initial, parse: (text) => (text.length <= most ? text : undefined) };
}

/**
 * @template {Record<string, Field<any>>} F
 * @typedef {{ [K in keyof F]: F[K] extends Field<infer T> ? T : never }} Values
 */

/** The most characters of an address that a message repeats. */
const MOST_REPEATED = 60;

/**
 * The beginning of a text, if it is long.
 *
 * @param {string} text
 */
function shortened(text) {
  return text.length > MOST_REPEATED ? `${text.slice(0, MOST_REPEATED)}…` : text;
}

/**
 * Reads an address' query.
 *
 * @template {Record<string, Field<any>>} F
 * @param {F} fields
 * @param {string} query
 * @returns {{ values: Values<F>, refused: string[] }} every field's value, and the parts of the
 *   query that say nothing: of an unknown name, out of range, or a second value. Names without a
 *   value that fits have their initial one. Long parts are shortened.
 */
export function read(fields, query) {
  const given = new URLSearchParams(query);
  /** @type {Record<string, any>} */
  const values = {};
  const refused = [...given.keys()].filter((name) => !Object.hasOwn(fields, name));
  for (const [name, field] of Object.entries(fields)) {
    const [text, ...more] = given.getAll(name);
    const value = text === undefined ? field.initial : field.parse(text);
    if (value === undefined) refused.push(`${name}=${text}`);
    refused.push(...more.map((again) => `${name}=${again}`));
    values[name] = value === undefined ? field.initial : value;
  }
  return { values: /** @type {Values<F>} */ (values), refused: refused.map(shortened) };
}

/**
 * Reads this page's address, and tells what in it says nothing.
 *
 * @template {Record<string, Field<any>>} F
 * @param {F} fields
 * @returns {Values<F>}
 */
export function readAddress(fields) {
  const { values, refused } = read(fields, location.search);
  if (refused.length > 0) {
    notice('address', `The address says something that this page doesn't know: ` +
      `${refused.join(', ')}. It shows the usual in its place.`);
  }
  return values;
}

/**
 * The query that [`read`] turns into `values`: empty, or with its question mark.
 *
 * @template {Record<string, Field<any>>} F
 * @param {F} fields
 * @param {Values<F>} values
 */
export function print(fields, values) {
  const query = new URLSearchParams();
  for (const [name, field] of Object.entries(fields)) {
    const text = (field.print ?? String)(values[name]);
    if (text !== (field.print ?? String)(field.initial)) query.set(name, text);
  }
  const text = query.toString();
  return text && `?${text}`;
}

/**
 * Puts `values` into the address of this page, without a step in the history.
 *
 * @template {Record<string, Field<any>>} F
 * @param {F} fields
 * @param {Values<F>} values
 */
export function write(fields, values) {
  history.replaceState(null, '', location.pathname + print(fields, values) + location.hash);
}
