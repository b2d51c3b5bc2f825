/** What of the page is in its address. */

import { choice, number, words } from '../common/url-state.js';

/** @import { Field } from '../common/url-state.js' */

/** The longest prompt, in characters. */
export const LONGEST_PROMPT = 2000;

/** The name of a numerics that stands for one column alone. */
export const NONE = 'none';

/** Every control with its range. */
export const FIELDS = {
  model: words('', 200),
  weights: choice('f32', /** @type {const} */ (['f32', 'int8'])),
  prompt: words('Once upon a time', LONGEST_PROMPT),
  tokens: number(256, 0, 4096, { whole: true }),
  temperature: number(0.8, 0, 10),
  p: number(0.9, 0.001, 1),
  seed: number(1, 0, Number.MAX_SAFE_INTEGER, { whole: true }),
  a: numerics('float'),
  b: numerics('classic:q8.8'),
};

/**
 * The name of an arithmetic. Whether it means one is for the Rust side to say.
 *
 * @param {string} initial
 * @returns {Field<string>}
 */
function numerics(initial) {
  return { initial, parse: (text) => (/^[\w.:=@-]{1,100}$/.test(text) ? text : undefined) };
}
