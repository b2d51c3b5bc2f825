/** One channel, live: the page's run, its clock, and what its controls do. */

import { notice } from '../common/notice.js';
import { readAddress, write } from '../common/url-state.js';
import { Controls } from './controls.js';
import { save } from './download.js';
import { element } from '../common/element.js';
import { OpenedFile } from './opened-file.js';
import { grouped } from './readouts.js';
import { Run } from './run.js';
import { CONSTANTS, fields, MOST_REPLAYED, settingsOf, specOf } from './settings.js';
import { sourceOf } from './sources.js';
import { Stage } from './stage.js';
import { printResults } from './stream-file.js';
import { BURST, sines, withBursts } from './streams.js';
import { Ways } from './ways.js';

/** Milliseconds of a frame that the run may take. */
const BUDGET = 8;

/** Tokens between two looks at the clock; gates take longer. */
const CHUNK = { apart: 64, gates: 4 };

/** The most milliseconds that count as passed: a tab that slept doesn't catch up. */
const LONGEST = 100;

/** Controls that begin another stream, which is then seen from its first token. */
const STREAM_CONTROLS = /** @type {const} */ (['stream', 'block', 'channel']);

/** Controls by which an opened file comes to something else. */
const FILE_CONTROLS =
  ['stream', 'gates', 'format', 'table', 'interpolate', 'division', 'guard'];

/** Controls that change no number of the run. */
const VIEW_CONTROLS = ['speed', 'factor', 'shortcuts'];

/** @typedef {import('./settings.js').Settings} Settings */

const motion = matchMedia('(prefers-reduced-motion: reduce)');

class Page {
  #fields = fields(motion.matches);
  #settings;
  #controls;
  #stage = new Stage(() => this.#wake());
  /** @type {Ways | null} */
  #ways = null;
  /** Whether it is known yet which ways there are. */
  #complete = false;
  /** Done when it is known. */
  #loaded;
  /** @type {OpenedFile | null} */
  #file = null;
  #source = { stream: sines(1, 1, 1), ...CONSTANTS, hint: '' };
  #run;
  /** The token that the run hurries to. */
  #target = 0;
  #paused;
  /** The share of a token that is due. */
  #due = 0;
  #before = 0;
  #frame = 0;
  /** How often an opened file was run. */
  #fileRuns = 0;
  /** Which stream was asked for last. */
  #asked = 0;

  constructor() {
    const values = readAddress(this.#fields);
    this.#settings = values;
    this.#paused = values.paused || values.at > 0;
    this.#run = new Run({ ...this.#source, spec: specOf(values) });
    this.#controls = new Controls(this.#fields, (change) => this.#change(change));
    this.#bind();
    this.#begin(values.at);
    this.#loaded = this.#loadWays();
  }

  /** @param {Partial<Settings>} change */
  #change(change) {
    this.#settings = { ...this.#settings, ...change };
    if (Object.keys(change).every((name) => VIEW_CONTROLS.includes(name))) {
      this.#showSettings();
      this.#wake();
    } else if (STREAM_CONTROLS.some((name) => name in change)) {
      this.#takeStream(change);
      // A file is seen at its end.
      this.#begin(this.#settings.stream === 'file' ? MOST_REPLAYED : 0);
    } else {
      this.#begin(Math.max(this.#run.step, this.#target));
    }
    if (FILE_CONTROLS.some((name) => name in change)) void this.#runOpened();
  }

  /**
   * Gives another stream its own constants, and a line of a file its own spec.
   *
   * @param {Partial<Settings>} change
   */
  #takeStream(change) {
    Object.assign(this.#settings, { u: null, w: null, bursts: [] });
    if ('stream' in change) {
      Object.assign(this.#settings, { block: 0, channel: 0 });
      notice('file', null);
    }
    const { stream, block } = this.#settings;
    const spec = stream === 'file' ? this.#file?.streams[block]?.spec : null;
    if (spec && !('channel' in change)) Object.assign(this.#settings, settingsOf(spec));
  }

  /**
   * Repeats the run with the present settings.
   *
   * @param {number} target the token up to which it hurries
   */
  async #begin(target) {
    this.#asked += 1;
    const asked = this.#asked;
    this.#target = target;
    this.#stage.announce(null);
    try {
      const source = await sourceOf(this.#settings, this.#file);
      if (asked !== this.#asked) return;
      this.#source = source;
      notice('stream', null);
    } catch (error) {
      if (asked !== this.#asked) return;
      const { seed, keys, values } = this.#settings;
      this.#source = { stream: sines(seed, keys, values), ...CONSTANTS, hint: '' };
      notice('stream', `${sentence(error)} Wandering sines are shown instead.`);
    }
    this.#start(target);
  }

  /** @param {number} target */
  #start(target) {
    const stream = withBursts(this.#source.stream, this.#settings.bursts);
    this.#run.free();
    this.#run = this.#makeRun(stream);
    this.#target = Math.min(target, MOST_REPLAYED, stream.length);
    this.#due = 0;
    this.#showSettings();
    this.#wake();
  }

  /** @param {import('./streams.js').Stream} stream */
  #makeRun(stream) {
    const parts = { spec: specOf(this.#settings), stream, ...this.#constants };
    try {
      const run = new Run({ ...parts, ways: this.#ways?.of(parts.spec, this.#settings.gates) });
      notice('spec', null);
      return run;
    } catch (error) {
      notice('spec', `${sentence(error)} What is shown is by JavaScript alone.`);
      return new Run(parts);
    }
  }

  /** What is computed with: the settings' constants, or the stream's own. */
  get #constants() {
    const { u, w } = this.#settings;
    return { u: u ?? this.#source.u, w: w ?? this.#source.w };
  }

  #showSettings() {
    this.#controls.show(this.#settings, this.#constants);
    const isFile = this.#settings.stream === 'file';
    element('block-name', HTMLElement).textContent = isFile ? 'line' : 'block';
    if (!isFile) element('stream-hint', HTMLElement).textContent = this.#source.hint;
    else if (!this.#file) element('stream-hint', HTMLElement).textContent = this.#source.hint;
    element('download-out', HTMLButtonElement).disabled = !this.#file;
    element('burst', HTMLButtonElement).disabled = isFile;
    this.#showGates();
    this.#showPause();
    this.#writeAddress();
  }

  #showGates() {
    const usable = this.#ways !== null;
    element('gates', HTMLInputElement).disabled = !usable;
    element('download-blif', HTMLButtonElement).disabled = !usable;
    const hint = element('gates-hint', HTMLElement);
    const inStep = this.#run.ways.length > 1;
    if (!this.#ways || !inStep) {
      hint.textContent = '';
      return;
    }
    const cell = this.#ways.cell(specOf(this.#settings));
    hint.textContent = `${grouped(cell.gates())} gates, ${cell.registers()} flip-flops, ` +
      `${grouped(cell.depth())} gates deep.`;
  }

  #showPause() {
    element('pause', HTMLButtonElement).textContent = this.#paused ? 'Run' : 'Pause';
    element('step', HTMLButtonElement).disabled = !this.#paused;
  }

  #writeAddress() {
    const step = Math.max(this.#target, this.#run.step);
    const at = this.#paused && step <= MOST_REPLAYED ? step : 0;
    this.#settings = { ...this.#settings, paused: this.#paused, at };
    write(this.#fields, this.#settings);
  }

  async #loadWays() {
    try {
      this.#ways = await Ways.load();
    } catch (error) {
      notice('ways', `${sentence(error)} The picture works by JavaScript alone; the integer ` +
        'model and the gates are missing.');
    }
    this.#complete = true;
    this.#begin(Math.max(this.#run.step, this.#target));
  }

  // The clock.

  /** Asks for a frame if none is coming. */
  #wake() {
    if (this.#frame) return;
    this.#before = performance.now();
    this.#frame = requestAnimationFrame((now) => this.#tick(now));
  }

  /** @param {number} now */
  #tick(now) {
    this.#frame = 0;
    const passed = Math.max(0, Math.min(LONGEST, now - this.#before));
    this.#before = now;
    this.#advance(passed);
    const settled = this.#settled;
    this.#stage.draw(this.#run, this.#settings.factor, now, settled);
    if (!settled) this.#frame = requestAnimationFrame((next) => this.#tick(next));
    else if (this.#complete) this.#stage.announce(this.#run);
  }

  /** Whether nothing moves until a control is touched. */
  get #settled() {
    return this.#run.ended || (this.#paused && this.#run.step >= this.#target);
  }

  /** @param {number} passed milliseconds since the last frame */
  #advance(passed) {
    const start = performance.now();
    const hurrying = this.#run.step < this.#target;
    if (!hurrying && this.#paused) return;
    if (!hurrying) this.#due += (passed * Number(this.#settings.speed)) / 1000;
    const end = hurrying ? this.#target : this.#run.step + Math.floor(this.#due);
    if (!hurrying) this.#due -= Math.floor(this.#due);
    const chunk = this.#settings.gates ? CHUNK.gates : CHUNK.apart;
    while (this.#run.step < end && performance.now() - start < BUDGET) {
      if (this.#run.advance(Math.min(chunk, end - this.#run.step)) === 0) break;
    }
  }

  // What the reader does.

  #bind() {
    const { tokens, key, value } = BURST;
    element('burst', HTMLButtonElement).title =
      `${tokens} tokens with keys ${key} higher and values ${value} larger, of alternating sign`;
    const press = (/** @type {string} */ id, /** @type {() => void} */ act) =>
      element(id, HTMLButtonElement).addEventListener('click', act);
    press('pause', () => this.#pause());
    press('step', () => this.#step());
    press('burst', () => this.#burst());
    press('reset', () => this.#reset());
    press('download-blif', () => this.#saveNetlist());
    press('download-out', () => this.#saveOutputs());
    const file = element('file', HTMLInputElement);
    // A file that was changed on the disk can be opened again.
    file.addEventListener('click', () => (file.value = ''));
    file.addEventListener('change', () => file.files?.[0] && this.#open(file.files[0]));
    document.addEventListener('keydown', (event) => this.#key(event));
  }

  #pause() {
    this.#paused = !this.#paused;
    this.#target = Math.min(this.#target, this.#run.step);
    this.#showPause();
    this.#writeAddress();
    this.#wake();
  }

  #step() {
    if (!this.#paused) return;
    this.#target = Math.max(this.#target, this.#run.step) + 1;
    this.#writeAddress();
    this.#wake();
  }

  #burst() {
    const { bursts } = this.#settings;
    const step = this.#run.step;
    const more = [...bursts.filter((token) => token < step), step];
    const { parse, print = String } = this.#fields.bursts;
    const fits = parse(print(more)) !== undefined;
    if (this.#settings.stream === 'file' || !fits) return;
    this.#settings = { ...this.#settings, bursts: more };
    this.#run.stream = withBursts(this.#source.stream, more);
    this.#writeAddress();
    this.#wake();
  }

  #reset() {
    this.#settings = { ...this.#settings, bursts: [] };
    this.#begin(0);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { target } = event;
    const typing = target instanceof HTMLElement && target.closest('input, select, textarea');
    const own = event.key === ' ' && target instanceof HTMLElement && target.closest('button, a');
    if (typing || own || !this.#settings.shortcuts) return;
    const keys = {
      ' ': () => this.#pause(),
      s: () => this.#step(),
      b: () => this.#burst(),
      r: () => this.#reset(),
      g: () => this.#ways && this.#change({ gates: !this.#settings.gates }),
    };
    const act = keys[/** @type {keyof typeof keys} */ (event.key.toLowerCase())];
    if (!act) return;
    event.preventDefault();
    act();
  }

  /** @param {File} file */
  async #open(file) {
    try {
      this.#file = await OpenedFile.read(file);
    } catch (error) {
      notice('file', words(error));
      return;
    }
    this.#change({ stream: 'file' });
  }

  /**
   * Runs all channels of the opened file, and says how it went; a run before it ends.
   *
   * @returns {Promise<object[] | undefined>} the results, if it came to its end
   */
  async #runOpened() {
    this.#fileRuns += 1;
    const run = this.#fileRuns;
    await this.#loaded;
    const { gates, stream } = this.#settings;
    if (stream !== 'file' || run !== this.#fileRuns) return undefined;
    const hint = element('stream-hint', HTMLElement);
    const say = (/** @type {string} */ words) => {
      hint.textContent = words;
    };
    const goesOn = () => run === this.#fileRuns;
    try {
      const engine = { ways: this.#ways, gates };
      return await this.#file?.run(specOf(this.#settings), engine, { say, goesOn });
    } catch (error) {
      notice('file', `${this.#file?.name}: ${words(error)}`);
      return undefined;
    }
  }

  async #saveOutputs() {
    const results = await this.#runOpened();
    if (!this.#file || !results) return;
    save(this.#file.resultName, printResults(results), 'application/json');
  }

  #saveNetlist() {
    if (!this.#ways) return;
    try {
      save('wkv_cell.blif', this.#ways.cell(specOf(this.#settings)).blif(), 'text/plain');
    } catch (error) {
      notice('spec', words(error));
    }
  }
}

/** @param {unknown} error */
function words(error) {
  return error instanceof Error ? error.message : String(error);
}

/** @param {unknown} error */
function sentence(error) {
  return words(error).replace(/\.?$/, '.');
}

new Page();
