/** Which model tells: one of the site's, or the reader's own files. */

import { notice } from '../common/notice.js';
import { element } from '../common/element.js';

/** @import { Loaded, Source } from './messages.js' */

/**
 * @typedef {object} Listed a model of the site
 * @property {string} name
 * @property {string} folder
 * @property {number} bytes
 * @property {number} blocks
 * @property {number} channels
 */

/** The choice of the reader's own files; no model of a site is named so. */
const OWN = ':own';

export class ModelPicker {
  /**
   * @param {{ model: string, weights: string }} wanted
   * @param {object} actions
   * @param {(source: Source, int8: boolean) => void} actions.load
   * @param {() => void} actions.cancel
   * @param {() => void} actions.changed
   */
  constructor(wanted, actions) {
    this.wanted = wanted;
    this.actions = actions;
    this.select = element('model', HTMLSelectElement);
    this.weights = element('weights', HTMLSelectElement);
    this.state = element('model-state', HTMLElement);
    this.own = element('own-files', HTMLElement);
    this.ownWeights = element('own-weights', HTMLInputElement);
    this.ownTokenizer = element('own-tokenizer', HTMLInputElement);
    this.ownLoad = element('own-load', HTMLButtonElement);
    this.loading = element('loading', HTMLElement);
    this.bar = element('load-progress', HTMLProgressElement);
    this.figure = element('load-figure', HTMLElement);
    this.again = element('again', HTMLButtonElement);
    /** @type {Listed[]} */
    this.list = [];
    /** @type {Loaded | null} */
    this.model = null;
    /** @type {{ choice: string, source: Source } | null} what is being loaded */
    this.next = null;
    /** @type {{ choice: string, source: Source } | null} what was last */
    this.current = null;

    this.weights.value = wanted.weights;
    this.select.addEventListener('change', () => this.#choose());
    this.weights.addEventListener('change', () => {
      actions.changed();
      if (this.current) this.#load(this.current.choice, this.current.source);
    });
    this.ownWeights.addEventListener('change', () => {
      this.ownLoad.disabled = !this.ownWeights.files?.length;
    });
    this.ownLoad.addEventListener('click', () => this.#loadOwn());
    this.again.addEventListener('click', () => this.#choose());
    element('cancel', HTMLButtonElement).addEventListener('click', () => actions.cancel());
  }

  /** Whether there is a model to tell with. */
  get isReady() {
    return this.model !== null;
  }

  /** What of the choice is in the address. */
  values() {
    const weights = this.weights.value === 'int8' ? 'int8' : 'f32';
    const { value } = this.select;
    const isFirst = value === OWN || value === this.list[0]?.name;
    return { model: isFirst ? '' : value, weights: /** @type {'f32' | 'int8'} */ (weights) };
  }

  /** Fetches the list of models and loads the one that is wanted. */
  async start() {
    try {
      const response = await fetch('models/index.json');
      if (!response.ok) throw new Error(`the server says ${response.status}`);
      const list = await response.json();
      if (!Array.isArray(list)) throw new Error('it is no list');
      this.list = list;
    } catch (error) {
      const reason = error instanceof Error ? error.message : error;
      notice(
        'models',
        `The list of models can't be loaded: ${reason}. A file of your own still can.`,
      );
    }
    const options = this.list.map(
      ({ name, blocks, channels }) =>
        new Option(`${name}: ${blocks} blocks of ${channels} channels`, name),
    );
    this.select.replaceChildren(...options, new Option('files of your own …', OWN));
    const { model } = this.wanted;
    if (model && !this.list.some(({ name }) => name === model)) {
      notice('no-model', `There is no model "${model}" here.`);
    } else if (model) {
      this.select.value = model;
    }
    this.#choose();
  }

  #choose() {
    const choice = this.select.value;
    this.own.hidden = choice !== OWN;
    const listed = this.list.find(({ name }) => name === choice);
    if (listed) {
      const { name, folder } = listed;
      // A folder may be named by any character.
      const path = folder.split('/').map(encodeURIComponent).join('/');
      const address = (/** @type {string} */ file) =>
        new URL(`${path}/${file}`, document.baseURI).href;
      const weights = address('model.safetensors');
      this.#load(choice, { name, weights, tokenizer: address('tokenizer.json') });
    }
    this.actions.changed();
  }

  #loadOwn() {
    const weights = this.ownWeights.files?.[0];
    const tokenizer = this.ownTokenizer.files?.[0] ?? null;
    if (weights) this.#load(OWN, { name: weights.name, weights, tokenizer });
  }

  /**
   * @param {string} choice
   * @param {Source} source
   */
  #load(choice, source) {
    notice('model', null);
    this.again.hidden = true;
    this.next = { choice, source };
    this.progress(0, null);
    this.actions.load(source, this.weights.value === 'int8');
  }

  /**
   * @param {number} done bytes
   * @param {number | null} total null where the server doesn't say
   */
  progress(done, total) {
    const most = total ?? this.list.find(({ name }) => name === this.next?.choice)?.bytes;
    this.loading.hidden = false;
    if (most) {
      this.bar.max = most;
      this.bar.value = Math.min(done, most);
    } else {
      this.bar.removeAttribute('value');
    }
    this.figure.textContent = done > 0 ? megabytes(done) + (most ? ` of ${megabytes(most)}` : '') : '';
  }

  /** The files are there and are being read. */
  reading() {
    this.loading.hidden = false;
    this.bar.removeAttribute('value');
    this.figure.textContent = 'reading the weights';
  }

  /** @param {Loaded} model */
  loaded(model) {
    this.model = model;
    this.current = this.next;
    this.loading.hidden = true;
    const { name, blocks, channels, vocabulary, bytes } = model;
    this.state.textContent =
      `${name}: ${blocks} blocks of ${channels} channels, ${vocabulary} tokens; ` +
      `each token reads ${megabytes(bytes)} of weights.`;
  }

  /** @param {string | null} reason null if the reader cancelled it */
  notLoaded(reason) {
    this.loading.hidden = true;
    if (reason) notice('model', reason);
    // The choice is what the page has, again.
    this.next = this.current;
    if (this.current && this.select.value !== OWN) {
      this.select.value = this.current.choice;
      this.own.hidden = this.current.choice !== OWN;
    }
    if (!this.model) this.#none(reason ? 'No model is loaded.' : 'Cancelled: no model is loaded.');
    this.actions.changed();
  }

  /** The model is gone with its worker. */
  lost() {
    this.model = null;
    this.current = null;
    this.next = null;
    this.loading.hidden = true;
    this.#none('No model is loaded.');
  }

  /** @param {string} words */
  #none(words) {
    this.state.textContent = words;
    this.again.hidden = this.select.value === OWN;
  }
}

/** @param {number} bytes */
function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
