/**
 * What the page and its worker say to each other.
 *
 * @typedef {object} Source where a model's files are
 * @property {string} name what the reader calls it
 * @property {string | Blob} weights an address, or the file
 * @property {string | Blob | null} tokenizer an address or the file; null where tokens are bytes
 *
 * @typedef {object} Options how tokens are drawn
 * @property {number} tokens the greatest number of them
 * @property {number} temperature
 * @property {number} topP
 * @property {number} seed
 *
 * @typedef {object} Telling a story to be told
 * @property {string} prompt
 * @property {Options} options
 * @property {string[]} numerics one name, or two to be compared
 *
 * @typedef {{ kind: 'load', source: Source, int8: boolean }
 *   | { kind: 'cancel' }
 *   | { kind: 'check', column: number, numerics: string }
 *   | { kind: 'tell', telling: Telling }
 *   | { kind: 'stop' }} Request
 *
 * @typedef {object} Loaded a model that is ready
 * @property {string} name
 * @property {number} blocks
 * @property {number} channels
 * @property {number} vocabulary
 * @property {number} bytes what a token reads of its matrices
 * @property {boolean} int8
 *
 * @typedef {object} Figures what is known of a story so far
 * @property {number} tokens
 * @property {number} seconds the time that they took, without the prompt
 * @property {number | undefined} rep4
 * @property {number | undefined} distinct2
 *
 * @typedef {object} Step a token, or none: the story is over
 * @property {number | null} token
 * @property {string} text what it makes complete of the text
 *
 * @typedef {object} End
 * @property {'text' | 'length' | 'stopped'} why the model ended it, it has all tokens, the reader
 *
 * @typedef {{ kind: 'ready', presets: string[] }
 *   | { kind: 'progress', done: number, total: number | null }
 *   | { kind: 'reading' }
 *   | { kind: 'loaded', model: Loaded }
 *   | { kind: 'not-loaded', reason: string | null }
 *   | { kind: 'checked', column: number, numerics: string, spec: string | null,
 *       reason: string | null }
 *   | { kind: 'prompt', done: number, total: number }
 *   | { kind: 'steps', steps: (Step | null)[], seconds: number[],
 *       divergence: number | null }
 *   | { kind: 'told', why: End['why'][], figures: Figures[] }
 *   | { kind: 'not-told', reason: string }
 *   | { kind: 'broken', reason: string }} Answer
 */

export {};
