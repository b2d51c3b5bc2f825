/** The worker that holds the model, so that the page never waits for it. */

import { loadWasm } from './wasm.js';
import { download } from './download.js';
import { tell } from './telling.js';
import { byteCode, bytePairCode } from './tokenizer.js';

/** @import { Answer, Loaded, Request, Source, Telling } from './messages.js' */
/** @import { TextCode } from './tokenizer.js' */

/**
 * @typedef {object} Held the model that is told with
 * @property {import('../../wasm/model.js').Model} model
 * @property {TextCode} code
 */

/** @typedef {{ source: Source, weights: Blob, tokenizer: Blob | null }} Files a model's files */

/** @type {Held | null} */
let held = null;
/** @type {Files | null} the last that were read */
let files = null;
/** @type {AbortController | null} */
let loading = null;
let telling = false;
let stopped = false;

/** @param {Answer} answer */
const say = (answer) => postMessage(answer);

const wakeUp = new MessageChannel();
/** @type {((value: unknown) => void)[]} a story and a load may wait at once, each for its message */
const waiting = [];
wakeUp.port1.onmessage = () => waiting.shift()?.(null);

/** Lets what the page said in; false if it was to stop. */
async function goesOn() {
  await new Promise((resolve) => {
    waiting.push(resolve);
    wakeUp.port2.postMessage(null);
  });
  return !stopped;
}

/** @param {unknown} error */
function words(error) {
  if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) {
    // The module is not to be used again: its state may be half changed.
    say({
      kind: 'broken',
      reason: 'The model needs more memory than a page may have, or its code failed.',
    });
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * @param {Source} source
 * @param {boolean} int8
 */
async function load(source, int8) {
  loading?.abort();
  const { signal } = (loading = new AbortController());
  try {
    const wasm = await loadWasm();
    files = isAtHand(source) ? files : await fetchFiles(source, signal);
    say({ kind: 'reading' });
    const next = await read(wasm, /** @type {Files} */ (files), int8);
    if (signal.aborted) {
      next.model.free();
      throw new DOMException('', 'AbortError');
    }
    // A story may still be told with the model before: it ends first.
    stopped = true;
    while (telling) await goesOn();
    held?.model.free();
    held = next;
    const { blocks, channels, vocabulary, bytes } = next.model;
    const model = { name: source.name, blocks, channels, vocabulary, bytes, int8 };
    say({ kind: 'loaded', model });
  } catch (error) {
    files = signal.aborted ? files : null;
    const reason = signal.aborted ? null : words(error);
    // A later request speaks for itself.
    if (loading?.signal === signal) say({ kind: 'not-loaded', reason });
  } finally {
    if (loading?.signal === signal) loading = null;
  }
}

/** @param {Source} source */
function isAtHand({ weights, tokenizer }) {
  return files?.source.weights === weights && files.source.tokenizer === tokenizer;
}

/**
 * @param {Source} source
 * @param {AbortSignal} signal
 * @returns {Promise<Files>}
 */
async function fetchFiles(source, signal) {
  const tokenizer = source.tokenizer ? await download(source.tokenizer, signal, () => {}) : null;
  const weights = await download(source.weights, signal, (done, total) =>
    say({ kind: 'progress', done, total }),
  );
  return { source, weights, tokenizer };
}

/**
 * @param {typeof import('../../wasm/model.js')} wasm
 * @param {Files} files
 * @param {boolean} int8
 * @returns {Promise<Held>}
 */
async function read(wasm, { weights, tokenizer, source }, int8) {
  const code = tokenizer ? await readTokenizer(wasm, tokenizer) : byteCode();
  const bytes = new Uint8Array(await weights.arrayBuffer());
  const model = new wasm.Model(source.name, bytes, int8);
  if (code.vocabulary !== model.vocabulary) {
    const text =
      `The tokenizer has ${code.vocabulary} tokens, but the model has a vocabulary of ` +
      `${model.vocabulary}; expected the tokenizer that the model was trained with.`;
    model.free();
    throw new Error(text);
  }
  return { model, code };
}

/**
 * @param {typeof import('../../wasm/model.js')} wasm
 * @param {Blob} file
 */
async function readTokenizer(wasm, file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const refused = wasm.refused_tokenizer(bytes);
  if (refused) {
    throw new Error(
      `The tokenizer is of another kind: ${refused}; expected a Hugging Face tokenizer.json of ` +
        'byte-level BPE.',
    );
  }
  return bytePairCode(JSON.parse(new TextDecoder().decode(bytes)));
}

/**
 * @param {number} column
 * @param {string} numerics
 */
async function check(column, numerics) {
  try {
    const wasm = await loadWasm();
    const spec = wasm.checked_numerics(numerics);
    say({ kind: 'checked', column, numerics, spec, reason: null });
  } catch (error) {
    say({ kind: 'checked', column, numerics, spec: null, reason: words(error) });
  }
}

/** @param {Telling} request */
async function start(request) {
  if (telling) return;
  telling = true;
  stopped = false;
  try {
    if (!held) throw new Error('There is no model yet.');
    await tell(await loadWasm(), held.model, held.code, request, say, goesOn);
  } catch (error) {
    say({ kind: 'not-told', reason: words(error) });
  } finally {
    telling = false;
  }
}

onmessage = ({ data }) => {
  const request = /** @type {Request} */ (data);
  if (request.kind === 'load') void load(request.source, request.int8);
  if (request.kind === 'cancel') loading?.abort();
  if (request.kind === 'check') void check(request.column, request.numerics);
  if (request.kind === 'tell') void start(request.telling);
  if (request.kind === 'stop') stopped = true;
};

loadWasm().then(
  (wasm) => say({ kind: 'ready', presets: wasm.presets() }),
  (error) => say({ kind: 'not-loaded', reason: words(error) }),
);
