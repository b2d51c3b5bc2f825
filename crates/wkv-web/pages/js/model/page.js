/** The page: its controls, its two columns, and the worker behind them. */

import { notice } from '../common/notice.js';
import { readAddress, write } from '../common/url-state.js';
import { missingFeature } from '../common/wasm.js';
import { Column } from './column.js';
import { DivergencePlot } from './divergence.js';
import { element } from '../common/element.js';
import { ModelPicker } from './model-picker.js';
import { FIELDS, NONE } from './state.js';

/** @import { Answer, Request } from './messages.js' */

const values = readAddress(FIELDS);

const prompt = element('prompt', HTMLTextAreaElement);
const options = /** @type {const} */ ({
  tokens: element('tokens', HTMLInputElement),
  temperature: element('temperature', HTMLInputElement),
  p: element('top-p', HTMLInputElement),
  seed: element('seed', HTMLInputElement),
});
const generate = element('generate', HTMLButtonElement);
const stop = element('stop', HTMLButtonElement);
const verdict = element('verdict', HTMLElement);
const comparison = element('comparison', HTMLElement);

const columns = /** @type {const} */ (['a', 'b']).map(
  (letter, index) => new Column(letter, () => changedNumerics(index)),
);
const [first, second] = columns;
const plot = new DivergencePlot(
  element('divergence', HTMLElement),
  element('divergence-figures', HTMLElement),
);
const picker = new ModelPicker(values, {
  load: (source, int8) => send({ kind: 'load', source, int8 }),
  cancel: () => send({ kind: 'cancel' }),
  changed: keep,
});

let telling = false;
/** Whether what came is waiting for the next frame. */
let waiting = false;
/** @type {number | null} */
let difference = null;

/** @type {Worker | null} */
let worker = null;

/** @param {Request} request */
function send(request) {
  worker?.postMessage(request);
}

function startWorker() {
  worker?.terminate();
  worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }) => hear(/** @type {Answer} */ (data));
  worker.onerror = () =>
    notice('worker', "The model's code can't be loaded. Reload the page to try it again.");
}

/** @param {Answer} answer */
function hear(answer) {
  switch (answer.kind) {
    case 'ready':
      element('presets', HTMLDataListElement).replaceChildren(
        ...answer.presets.map((preset) => new Option('', preset)),
      );
      break;
    case 'progress':
      return picker.progress(answer.done, answer.total);
    case 'reading':
      return picker.reading();
    case 'loaded':
      picker.loaded(answer.model);
      break;
    case 'not-loaded':
      picker.notLoaded(answer.reason);
      break;
    case 'checked':
      return checked(answer);
    case 'prompt':
      verdict.textContent = `Reading the prompt: ${answer.done} of ${answer.total} tokens`;
      return;
    case 'steps':
      return takeSteps(answer);
    case 'told':
      return told(answer);
    case 'not-told':
      telling = false;
      notice('telling', answer.reason);
      verdict.textContent = '';
      break;
    case 'broken':
      telling = false;
      notice('telling', answer.reason);
      picker.lost();
      startWorker();
  }
  enable();
}

/** @param {Extract<Answer, { kind: 'steps' }>} answer */
function takeSteps({ steps, divergence, seconds }) {
  if (first.tokens.length === 0) verdict.textContent = '';
  steps.forEach((step, index) => {
    if (step) columns[index].take(step, seconds[index]);
  });
  if (divergence !== null) plot.push(divergence);
  findDifference();
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(showFrame);
}

function showFrame() {
  // What came may have been shown with the end of the story.
  if (!waiting) return;
  waiting = false;
  for (const column of columns) column.flush();
  plot.draw();
}

/** Marks the first token that differs, once it is there. */
function findDifference() {
  if (difference !== null || !second.isUsed) return;
  const index = Math.min(first.tokens.length, second.tokens.length) - 1;
  const parted = index >= 0 && first.tokens[index] !== second.tokens[index];
  const ended = first.tokens.length !== second.tokens.length;
  if (!parted && !ended) return;
  difference = parted ? index : index + 1;
  for (const column of columns) column.mark(difference);
  plot.mark(difference);
  verdict.textContent =
    `Token ${difference + 1} is the first that differs: ` +
    `“${first.marked}” and “${second.marked}”.`;
}

/** @param {Extract<Answer, { kind: 'told' }>} answer */
function told({ why, figures }) {
  telling = false;
  waiting = true;
  showFrame();
  figures.forEach((one, index) => columns[index].showFigures(one, why[index]));
  if (second.isUsed && difference === null) {
    verdict.textContent = `The same story, ${count(first.tokens.length)}.`;
  } else if (!second.isUsed) {
    verdict.textContent = `${count(first.tokens.length)}.`;
  }
  enable();
}

/** @param {number} tokens */
const count = (tokens) => `${tokens} token${tokens === 1 ? '' : 's'}`;

/** @param {Extract<Answer, { kind: 'checked' }>} answer */
function checked({ column: index, numerics, spec, reason }) {
  // The reader may have written another since.
  if (columns[index].numerics !== numerics) return;
  columns[index].refuse(reason);
  if (spec) columns[index].numerics = spec;
  keep();
  enable();
}

/** @param {number} index */
function changedNumerics(index) {
  const column = columns[index];
  column.refuse(null);
  comparison.hidden = !second.isUsed;
  if (column.numerics !== NONE) send({ kind: 'check', column: index, numerics: column.numerics });
  keep();
  enable();
}

/** Puts the controls into the address. */
function keep() {
  const given = readOptions();
  write(FIELDS, {
    ...values,
    ...picker.values(),
    ...given.values,
    prompt: prompt.value,
    a: first.numerics,
    b: second.numerics,
  });
}

/** The numbers of the options; those out of range are told, and have the values before. */
function readOptions() {
  /** @type {string[]} */
  const wrong = [];
  for (const [name, input] of Object.entries(options)) {
    const key = /** @type {keyof typeof options} */ (name);
    const value = input.validity.badInput ? undefined : FIELDS[key].parse(input.value);
    input.setAttribute('aria-invalid', String(value === undefined));
    if (value === undefined) wrong.push(`${label(input)}: ${input.min} to ${input.max}`);
    else values[key] = value;
  }
  const { tokens, temperature, p, seed } = values;
  return { values: { tokens, temperature, p, seed }, wrong };
}

/** @param {HTMLInputElement} input */
function label(input) {
  return input.labels?.[0]?.textContent?.trim() ?? input.id;
}

function showOptions() {
  const { wrong } = readOptions();
  element('refused-options', HTMLElement).textContent =
    wrong.length > 0 ? `Out of range. ${wrong.join('; ')}.` : '';
  return wrong.length === 0;
}

function enable() {
  const isRefused = columns.some((column) => column.isUsed && column.isRefused);
  generate.disabled = telling || !picker.isReady || isRefused;
  stop.disabled = !telling;
}

/** @param {Event} event */
function begin(event) {
  event.preventDefault();
  if (generate.disabled || !showOptions()) return;
  keep();
  notice('telling', null);
  telling = true;
  difference = null;
  plot.clear();
  plot.draw();
  verdict.textContent = '';
  const used = columns.filter((column) => column.isUsed);
  for (const column of columns) column.begin(prompt.value);
  const { tokens, temperature, p: topP, seed } = values;
  send({
    kind: 'tell',
    telling: {
      prompt: prompt.value,
      options: { tokens, temperature, topP, seed },
      numerics: used.map((column) => column.numerics),
    },
  });
  enable();
}

/** @param {string} reason a sentence */
function cannotRun(reason) {
  notice('browser', `${reason} The model can't run here; the other pages may.`);
}

function start() {
  prompt.value = values.prompt;
  for (const [name, input] of Object.entries(options)) {
    input.value = String(values[/** @type {keyof typeof options} */ (name)]);
    input.addEventListener('change', () => {
      showOptions();
      keep();
    });
  }
  prompt.addEventListener('change', keep);
  prompt.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) begin(event);
  });
  first.numerics = values.a;
  second.numerics = values.b;
  for (const column of columns) column.begin(prompt.value);
  comparison.hidden = !second.isUsed;
  plot.draw();
  element('request', HTMLFormElement).addEventListener('submit', begin);
  stop.addEventListener('click', () => send({ kind: 'stop' }));

  const missing = typeof Worker === 'function' ? missingFeature() : 'This browser has no Workers.';
  if (missing) return cannotRun(missing);
  try {
    startWorker();
  } catch (error) {
    return cannotRun(`This browser starts no Worker: ${error}.`);
  }
  columns.forEach((column, index) => {
    if (column.isUsed) send({ kind: 'check', column: index, numerics: column.numerics });
  });
  void picker.start();
}

start();
