/** One of the two columns: its numerics, its story, its figures. */

import { element } from '../common/element.js';
import { showFigures } from './figures.js';
import { FIELDS, NONE } from './state.js';

/** @import { End, Figures, Step } from './messages.js' */

const BY_GATES = '@gates';

/** What the field has before one is chosen. */
const USUAL_SPEC = FIELDS.b.initial;

/** @type {Record<End['why'], string>} */
const ENDS = {
  text: 'by the model',
  length: 'all drawn',
  stopped: 'stopped',
};

export class Column {
  /**
   * @param {'a' | 'b'} letter
   * @param {() => void} onChange the reader chose another numerics
   */
  constructor(letter, onChange) {
    this.engine = element(`engine-${letter}`, HTMLSelectElement);
    this.spec = element(`spec-${letter}`, HTMLInputElement);
    this.refused = element(`refused-${letter}`, HTMLElement);
    this.story = element(`story-${letter}`, HTMLElement);
    this.figures = element(`figures-${letter}`, HTMLElement);
    /** @type {string[]} the text of each token */
    this.pieces = [];
    /** @type {number[]} */
    this.tokens = [];
    this.waiting = '';
    this.seconds = 0;
    this.prompt = '';
    /** The text of the token that is marked. */
    this.marked = '';
    this.spec.value = USUAL_SPEC;
    for (const control of [this.engine, this.spec]) {
      control.addEventListener('change', () => {
        this.#enable();
        onChange();
      });
    }
  }

  /** The name of the numerics, as the command line prints it. */
  get numerics() {
    const engine = this.engine.value;
    if (engine === 'float' || engine === NONE) return engine;
    return this.spec.value.trim() + (engine === 'gates' ? BY_GATES : '');
  }

  set numerics(name) {
    const usual = name === 'float' || name === NONE;
    const byGates = name.endsWith(BY_GATES);
    this.engine.value = usual ? name : byGates ? 'gates' : 'fixed';
    // A column without a second one has no such choice.
    if (!this.engine.value) this.engine.value = 'float';
    if (!usual) this.spec.value = byGates ? name.slice(0, -BY_GATES.length) : name;
    this.#enable();
  }

  get isUsed() {
    return this.engine.value !== NONE;
  }

  #enable() {
    this.spec.disabled = ['float', NONE].includes(this.engine.value);
    this.story.hidden = !this.isUsed;
    this.figures.hidden = !this.isUsed;
  }

  get isRefused() {
    return this.refused.textContent !== '';
  }

  /**
   * Shows why the numerics are refused; null if they are not.
   *
   * @param {string | null} reason
   */
  refuse(reason) {
    this.refused.textContent = reason ?? '';
    this.spec.setAttribute('aria-invalid', String(reason !== null));
  }

  /**
   * Begins a story.
   *
   * @param {string} prompt
   */
  begin(prompt) {
    this.prompt = prompt;
    this.pieces = [];
    this.tokens = [];
    this.waiting = '';
    this.story.replaceChildren(opening(prompt));
    showFigures(this.figures, {});
  }

  /**
   * Takes a token, or what is left of the text at its end; shown with the next frame.
   *
   * @param {Step} step
   * @param {number} seconds that the story took so far
   */
  take({ token, text }, seconds) {
    this.seconds = seconds;
    if (token !== null) this.tokens.push(token);
    this.pieces.push(text);
    this.waiting += text;
  }

  /** Shows what came since the last frame. */
  flush() {
    const { tokens, seconds } = this;
    if (tokens.length > 0) this.showFigures({ tokens: tokens.length, seconds }, null);
    if (this.waiting === '') return;
    const fresh = document.createElement('span');
    fresh.className = 'fresh';
    fresh.textContent = this.waiting;
    fresh.addEventListener('animationend', () => settle(fresh));
    this.waiting = '';
    this.story.append(fresh);
  }

  /**
   * Shows the whole story again, its token number `index` marked.
   *
   * @param {number} index from 0; one past the end marks the end
   */
  mark(index) {
    this.waiting = '';
    // A piece of a character has no text; the token that completes it has.
    let last = index;
    while (last < this.pieces.length && this.pieces[last] === '') last += 1;
    const text = this.pieces.slice(index, last + 1).join('');
    const word = text.trim();
    // White space before a word is left unmarked; alone it is shown by a sign.
    const [space, marked, rest] = word
      ? [text.slice(0, text.indexOf(word)), word, text.slice(text.indexOf(word) + word.length)]
      : ['', sign(text), text];
    const mark = document.createElement('mark');
    mark.textContent = marked;
    mark.title = `token ${index + 1}, the first that differs`;
    this.story.replaceChildren(
      opening(this.prompt),
      this.pieces.slice(0, index).join('') + space,
      mark,
      rest + this.pieces.slice(last + 1).join(''),
    );
    this.marked = marked;
  }

  /**
   * @param {Omit<Figures, 'rep4' | 'distinct2'> & Partial<Figures>} figures
   * @param {End['why'] | null} why null while it is being told
   */
  showFigures({ tokens, seconds, rep4, distinct2 }, why) {
    showFigures(this.figures, {
      tokens: String(tokens),
      pace: tokens > 0 && seconds > 0 ? (tokens / seconds).toFixed(0) : undefined,
      rep4: rep4?.toFixed(3),
      distinct2: distinct2?.toFixed(3),
      end: why ? ENDS[why] : undefined,
    });
  }
}

/** @param {string} prompt */
function opening(prompt) {
  const span = document.createElement('span');
  span.className = 'opening';
  span.textContent = prompt;
  return span;
}

/**
 * What stands for a token without a visible character.
 *
 * @param {string} text empty at the end of a story
 */
function sign(text) {
  if (text === '') return '∎';
  return text.includes('\n') ? '↵' : '␣';
}

/** @param {HTMLElement} fresh a span that has appeared */
function settle(fresh) {
  const { parentNode } = fresh;
  fresh.replaceWith(...fresh.childNodes);
  parentNode?.normalize();
}
