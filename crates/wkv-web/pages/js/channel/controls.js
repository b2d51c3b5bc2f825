/** The page's controls: what they may be set to, and what they are set to. */

import { notice } from '../common/notice.js';
import { element } from '../common/element.js';
import { quantise } from './numerics.js';
import {
  BONUSES, DECAYS, DIVISIONS, FACTORS, FORMATS, PRESETS, SOURCES, SPEEDS, TABLES,
} from './settings.js';

/** @typedef {import('./settings.js').Settings} Settings */

/** Steps of the slider of decays; its ends are the fastest and the slowest. */
const DECAY_STEPS = 1000;

/** Controls whose text is read by the field of their name. */
const PLAIN = /** @type {const} */ ([
  'format', 'table', 'division', 'interpolate', 'guard', 'stream', 'keys', 'values', 'seed',
  'block', 'channel', 'factor', 'gates', 'shortcuts',
]);

/** Binds the controls; each change is told as the settings that it changes. */
export class Controls {
  #fields;
  #change;

  /**
   * @param {ReturnType<typeof import('./settings.js').fields>} fields
   * @param {(change: Partial<Settings>) => void} change
   */
  constructor(fields, change) {
    this.#fields = fields;
    this.#change = change;
    fillChoices();
    this.#presets();
    for (const name of PLAIN) {
      element(name, HTMLElement).addEventListener('change', () => this.#read(name));
    }
    this.#slider('w', (position) => ({ w: decayAt(position) }));
    this.#slider('u', (position) => ({ u: Number(position.toPrecision(4)) }));
    this.#slider('speed', (position) => ({ speed: SPEEDS[position] }));
    element('controls', HTMLFormElement).addEventListener('submit', (e) => e.preventDefault());
  }

  /**
   * Shows settings.
   *
   * @param {Settings} settings
   * @param {{ u: number, w: number }} constants what is computed with
   */
  show(settings, { u, w }) {
    for (const name of PLAIN) {
      const control = element(name, HTMLElement);
      // What is being typed is not taken away.
      if (control === document.activeElement && control.getAttribute('type') === 'number') continue;
      if (control instanceof HTMLInputElement && control.type === 'checkbox') {
        control.checked = Boolean(settings[name]);
      } else if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) {
        control.value = String(settings[name]);
      }
      control.removeAttribute('aria-invalid');
    }
    showSliders(settings, { u, w });
    for (const part of document.querySelectorAll('[data-of]')) {
      const of = part.getAttribute('data-of')?.split(' ') ?? [];
      /** @type {HTMLElement} */ (part).hidden = !of.includes(settings.stream);
    }
    for (const [name, preset] of Object.entries(PRESETS)) {
      const pressed = preset.w === w && preset.u === u;
      element(`preset-${name}`, HTMLElement).setAttribute('aria-pressed', String(pressed));
    }
  }

  #presets() {
    const buttons = Object.entries(PRESETS).map(([name, preset]) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.id = `preset-${name}`;
      button.textContent = preset.name;
      button.addEventListener('click', () => this.#change({ w: preset.w, u: preset.u }));
      return button;
    });
    element('presets', HTMLElement).append(...buttons);
  }

  /**
   * Takes a control's new text, or says what it should be.
   *
   * @param {typeof PLAIN[number]} name
   */
  #read(name) {
    const control = element(name, HTMLElement);
    let text = '';
    if (control instanceof HTMLSelectElement) text = control.value;
    if (control instanceof HTMLInputElement) {
      text = control.type === 'checkbox' ? (control.checked ? '1' : '0') : control.value;
    }
    const value = this.#fields[name].parse(text);
    if (value === undefined) {
      control.setAttribute('aria-invalid', 'true');
      const { min, max, step } = /** @type {HTMLInputElement} */ (control);
      const kind = step === '1' ? 'whole number' : 'number';
      const range = max === '' ? `not below ${min}` : `from ${min} to ${max}`;
      notice('control', `The ${name} "${text}" can't be used; expected a ${kind} ${range}.`);
      return;
    }
    notice('control', null);
    control.removeAttribute('aria-invalid');
    this.#change({ [name]: value });
  }

  /**
   * @param {string} name
   * @param {(position: number) => Partial<Settings>} change
   */
  #slider(name, change) {
    const input = element(name, HTMLInputElement);
    input.addEventListener('input', () => this.#change(change(Number(input.value))));
  }
}

/**
 * @param {Settings} settings
 * @param {{ u: number, w: number }} constants
 */
function showSliders({ format, speed }, { u, w }) {
  const fraction = Number(format.split('.')[1]);
  // A recorded channel may lie outside the published range.
  const bonus = element('u', HTMLInputElement);
  bonus.min = String(Math.min(BONUSES.least, u));
  bonus.max = String(Math.max(BONUSES.greatest, u));
  showSlider('w', positionOf(w), constantWords(w, fraction));
  showSlider('u', u, constantWords(u, fraction));
  const words = `${Number(speed).toLocaleString('en')} tokens/s`;
  showSlider('speed', SPEEDS.indexOf(speed), words);
}

/**
 * @param {string} id
 * @param {number} position
 * @param {string} words
 */
function showSlider(id, position, words) {
  const input = element(id, HTMLInputElement);
  input.value = String(position);
  input.setAttribute('aria-valuetext', words);
  element(`${id}-value`, HTMLElement).textContent = words;
}

function fillChoices() {
  const same = (/** @type {readonly string[]} */ words) => words.map((word) => [word, word]);
  fill('format', same(FORMATS));
  fill('table', same(TABLES));
  fill('division', Object.entries(DIVISIONS));
  fill('stream', Object.entries(SOURCES));
  fill('factor', FACTORS.map((factor) => [factor, factor === 'auto' ? 'as fits' : `×${factor}`]));
  const speed = element('speed', HTMLInputElement);
  speed.max = String(SPEEDS.length - 1);
}

/**
 * @param {string} id
 * @param {string[][]} choices value and words of each
 */
function fill(id, choices) {
  const options = choices.map(([value, words]) => new Option(words, value));
  element(id, HTMLSelectElement).append(...options);
}

/**
 * The decay at a position of its slider: slow ones left, fast ones right.
 *
 * @param {number} position from 0 to `DECAY_STEPS`
 */
function decayAt(position) {
  const { fastest, slowest } = DECAYS;
  if (position <= 0) return slowest;
  if (position >= DECAY_STEPS) return fastest;
  const w = slowest * (fastest / slowest) ** (position / DECAY_STEPS);
  return Number(w.toPrecision(4));
}

/** @param {number} w */
function positionOf(w) {
  const { fastest, slowest } = DECAYS;
  const share = w < 0 ? Math.log(w / slowest) / Math.log(fastest / slowest) : 0;
  return Math.round(DECAY_STEPS * Math.max(0, Math.min(1, share)));
}

/**
 * A constant, and what the circuit makes of it.
 *
 * @param {number} real
 * @param {number} fraction
 */
function constantWords(real, fraction) {
  const raw = quantise(real, fraction);
  const made = Number((raw / 2 ** fraction).toPrecision(4));
  return `${Number(real.toPrecision(4))} → ${made}`.replaceAll('-', '−');
}
