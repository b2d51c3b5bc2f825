/** The numbers beside the picture. */

import { element } from '../common/element.js';
import { REGISTERS, specText } from './numerics.js';
import { COLUMNS } from './run.js';

const INPUTS = /** @type {const} */ (['k', 'v', 'u', 'w']);

/** Shows what a run has come to. */
export class Readouts {
  #shown = new Map();

  constructor() {
    const names = [...REGISTERS, ...INPUTS];
    element('saturation-names', HTMLElement).replaceChildren(
      ...names.map((name) => cell('th', name)),
    );
    element('saturation-counts', HTMLElement).replaceChildren(
      ...names.map((name) => cell('td', '0', `saturations-${name}`)),
    );
  }

  /**
   * The newest numbers and those of the whole run.
   *
   * @param {import('./run.js').Run} run
   * @param {number} factor of the error in the picture
   */
  show(run, factor) {
    const { count, rms, rmsAtMark, greatest } = run.curve.statistics;
    const last = (/** @type {import('./run.js').Ring} */ ring) =>
      count ? ring.at(count - 1) : null;
    const [exact, rounded] = [last(run.exact), last(run.rounded)];
    this.#text('now-v', fixed(last(run.v)));
    this.#text('now-float', fixed(exact));
    this.#text('now-circuit', fixed(rounded));
    this.#text('now-error', exact === null || rounded === null ? '–' : signed(rounded - exact));
    this.#text('factor-now', `×${factor}`);
    this.#text('spec-name', specText(run.spec));
    const end = Number.isFinite(run.stream.length) ? ` of ${grouped(run.stream.length)}` : '';
    this.#text('token', grouped(count) + end);
    this.#text('rms', count ? scientific(rms) : '–');
    this.#text('rms-mark', rmsAtMark === null ? '–' : scientific(rmsAtMark));
    this.#text('greatest', count ? scientific(greatest) : '–');
    const underflows = Object.values(run.circuit.underflows).reduce((sum, n) => sum + n, 0);
    this.#text('underflows', grouped(underflows));
    for (const name of REGISTERS) this.#saturations(name, run.circuit.saturations[name]);
    for (const name of INPUTS) this.#saturations(name, run.inputs[name]);
    this.#ways(run);
  }

  /**
   * What a reader who doesn't see the picture is told.
   *
   * @param {import('./run.js').Run | null} run null takes it back
   */
  announce(run) {
    const status = element('status', HTMLElement);
    status.textContent = '';
    if (!run) return;
    const { count, rms, greatest } = run.curve.statistics;
    status.textContent =
      `Token ${grouped(count)}: RMS error ${scientific(rms)}, greatest ${scientific(greatest)}.`;
  }

  /** @param {import('./run.js').Run} run */
  #ways(run) {
    const lines = run.ways.map(({ way, agreed }) => {
      const all = agreed === run.step;
      const result = `${grouped(agreed)} of ${grouped(run.step)} steps agree`;
      return { name: way.name, result, all };
    });
    if (lines.length === 0) {
      lines.push({ name: 'JavaScript alone', result: `${grouped(run.step)} steps`, all: true });
    }
    const text = JSON.stringify(lines);
    if (this.#shown.get('ways') !== text) {
      this.#shown.set('ways', text);
      element('ways', HTMLElement).replaceChildren(...lines.map(wayLine));
    }
    const difference = element('difference', HTMLElement);
    difference.hidden = run.difference === null;
    if (run.difference) this.#text('difference', differenceWords(run.difference));
  }

  /**
   * @param {string} name
   * @param {number} count
   */
  #saturations(name, count) {
    this.#text(`saturations-${name}`, grouped(count));
    element(`saturations-${name}`, HTMLElement).classList.toggle('some', count > 0);
  }

  /**
   * Changes a text if it is another one: most aren't from frame to frame.
   *
   * @param {string} id
   * @param {string} text
   */
  #text(id, text) {
    if (this.#shown.get(id) === text) return;
    this.#shown.set(id, text);
    element(id, HTMLElement).textContent = text;
  }
}

/**
 * @param {string} tag
 * @param {string} text
 * @param {string} [id]
 */
function cell(tag, text, id) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (id) made.id = id;
  if (tag === 'th') made.setAttribute('scope', 'col');
  return made;
}

/** @param {{ name: string, result: string, all: boolean }} line */
function wayLine({ name, result, all }) {
  const line = document.createElement('li');
  const number = cell('span', `${all ? '✓' : '✗'} ${result}`);
  number.className = 'figure';
  line.append(cell('span', name), number);
  return line;
}

/** @param {import('./run.js').Difference} difference */
function differenceWords({ way, token, expected, found }) {
  const which = COLUMNS.map((name, i) => ({ name, expected: expected[i], found: found[i] }));
  const parts = which
    .filter((column) => column.expected !== column.found)
    .map(({ name, expected, found }) => `${name} is ${expected} by JavaScript, ${found} by ${way}`);
  return `First difference at token ${grouped(token)}: ${parts.join('; ')}.`;
}

/** @param {number} count */
export function grouped(count) {
  return count.toLocaleString('en');
}

/** @param {number} x */
function scientific(x) {
  return x === 0 ? '0' : x.toExponential(2).replace('e-', 'e−').replace('e+', 'e');
}

/** @param {number | null} x */
function fixed(x) {
  return x === null ? '–' : x.toFixed(4).replace('-', '−');
}

/** @param {number} x */
function signed(x) {
  return `${x < 0 ? '−' : '+'}${scientific(Math.abs(x))}`;
}
