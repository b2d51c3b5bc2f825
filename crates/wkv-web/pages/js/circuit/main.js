/** The page of the circuit: builds what is asked for, keeps map, tree, tables and address as one. */

import { notice } from '../common/notice.js';
import { readAddress, write } from '../common/url-state.js';
import { loadWasm } from '../common/circuits.js';
import { showDetails } from './details.js';
import { byId, element, linkButton, thousands } from './dom.js';
import { heldPorts, numberOn, rawOn, showInputs } from './inputs.js';
import { CircuitMap } from './map.js';
import { Circuit } from './schematic.js';
import { FIELDS, LAST_STEP, PRESETS } from './state.js';
import { showBuses, showInventory, showPath } from './tables.js';
import { HierarchyTree } from './tree.js';

/** @typedef {import('./schematic.js').Place} Place */
/** @typedef {typeof import('../../wasm/circuits.js')} Wasm */

/** Milliseconds from one step to the next while it runs. */
const PACE = 250;

class CircuitPage {
  /** @param {Wasm} wasm */
  constructor(wasm) {
    this.wasm = wasm;
    this.state = readAddress(FIELDS);
    this.map = new CircuitMap(
      /** @type {HTMLCanvasElement} */ (byId('map')),
      (place) => this.select(place),
      () => this.outward(),
    );
    this.tree = new HierarchyTree(byId('tree'), (place) => this.select(place));
    /** @type {Circuit | null} */
    this.circuit = null;
    /** @type {import('../../wasm/circuits.js').Stimuli | null} */
    this.stimuli = null;
    /** @type {Place} */
    this.place = { instance: 0 };
    this.timer = 0;
  }

  /** Shows what the address asks for, or, where that can't be, says so and shows the cell. */
  start() {
    this.#fillPickers();
    this.#listen();
    if (!this.build()) {
      this.state = { ...this.state, spec: FIELDS.spec.initial, unit: FIELDS.unit.initial };
      this.build({ keepNotice: true });
    }
  }

  /** Builds the circuit of the state; false if there is none, which is told. */
  build({ keepNotice = false } = {}) {
    const { spec, unit, style } = this.state;
    let source;
    try {
      source = this.wasm.unit_schematic(spec, unit, style);
    } catch (error) {
      notice('circuit', `This circuit can't be shown. ${error}`);
      return false;
    }
    if (!keepNotice) notice('circuit', null);
    this.circuit?.free();
    this.circuit = new Circuit(source);
    this.state.spec = this.wasm.canonical_spec(spec);
    const place = this.circuit.parse(this.state.at);
    if (!place && this.state.at !== '') {
      notice('address', `This circuit has no ${this.state.at}; all of it is shown.`);
    }
    this.place = place ?? { instance: 0 };
    const unitLines = this.wasm.unit_lines(source);
    this.map.show(this.circuit, unitLines);
    this.tree.show(this.circuit);
    const lines = this.wasm.unit_inventory(source);
    showInventory(byId('inventory'), this.circuit, lines, unitLines, (at) => this.select(at));
    this.#summary();
    this.#showControls();
    this.restart();
    this.#showPlace(true);
    return true;
  }

  /** Runs the stream of the state from its start to the step that is shown. */
  restart() {
    const { circuit, state } = this;
    if (!circuit) return;
    this.stimuli?.free();
    circuit.source.restart();
    const ports = heldPorts(circuit, state.course);
    const numbers = ports.map((bus) => rawOn(bus, numberOn(bus, state.inputs)));
    const names = ports.map(({ name }) => name);
    const { spec, unit, style, course, seed } = state;
    this.stimuli = new this.wasm.Stimuli(
      spec,
      unit,
      style,
      course,
      seed,
      names,
      Int32Array.from(numbers),
    );
    this.showStep();
  }

  /** Shows the values of the state's step. */
  showStep() {
    const { circuit, stimuli, state, map } = this;
    if (!circuit || !stimuli || !map.painter) return;
    try {
      stimuli.run(circuit.source, state.step);
    } catch (error) {
      notice('circuit', String(error));
      return;
    }
    map.painter.values = circuit.source.values(state.step);
    map.painter.numbers = circuit.source.bus_numbers(state.step);
    map.redraw();
    const { values, numbers } = map.painter;
    showBuses(byId('buses'), circuit, numbers, (place) => this.select(place));
    showPath(byId('path'), circuit, values, (place) => this.select(place));
    showDetails(byId('details'), circuit, this.place, values, (place) => this.select(place));
    /** @type {HTMLInputElement} */ (byId('step')).value = String(state.step);
    byId('agreement').textContent = agreement(stimuli);
    write(FIELDS, state);
  }

  /**
   * Goes to a place, on the map, in the tree and in words.
   *
   * @param {Place} place
   */
  select(place) {
    if (!this.circuit) return;
    notice('address', null);
    this.place = place;
    this.state.at = this.circuit.print(place);
    this.#showPlace(false);
  }

  /** Goes to the instance around what is selected. */
  outward() {
    if (this.circuit) this.select(this.circuit.outside(this.place));
  }

  /** @param {boolean} at_once */
  #showPlace(at_once) {
    const { circuit, map, place } = this;
    if (!circuit || !map.painter) return;
    map.painter.selected = place;
    map.painter.showPath = this.state.path;
    map.visit(place, at_once);
    map.redraw();
    this.tree.select(place);
    this.#crumbs();
    showDetails(byId('details'), circuit, place, map.painter.values, (next) => this.select(next));
    write(FIELDS, this.state);
  }

  #crumbs() {
    const { circuit, place } = this;
    if (!circuit) return;
    const instance = 'instance' in place ? place.instance : circuit.origins[place.wire];
    const steps = [0, ...circuit.around(instance)].map((at) => ({
      name: at === 0 ? this.state.unit : circuit.cells[at],
      place: { instance: at },
    }));
    if ('wire' in place)
      steps.push({ name: circuit.wireName(place.wire), place: /** @type {any} */ (place) });
    const items = steps.map(({ name, place: to }, at) => {
      const isLast = at === steps.length - 1;
      const contents =
        isLast ?
          element('span', { 'aria-current': 'location' }, [name])
        : linkButton(name, () => this.select(to));
      return element('li', {}, [contents]);
    });
    byId('crumbs').replaceChildren(...items);
  }

  #summary() {
    const { circuit, state } = this;
    if (!circuit) return;
    const flipFlops = circuit.registers === 1 ? '1 flip-flop' : `${circuit.registers} flip-flops`;
    byId('summary').textContent =
      `${state.unit} of ${state.spec}: ${thousands(circuit.gates)} gates, ` +
      `${flipFlops}, depth ${circuit.depth}`;
    byId('map').setAttribute(
      'aria-label',
      `Map of ${state.unit}: ${circuit.gates} gates in columns by depth. ` +
        'The tree beside it says the same.',
    );
  }

  #fillPickers() {
    const unit = /** @type {HTMLInputElement} */ (byId('unit'));
    const names = this.wasm.unit_names();
    unit.replaceChildren(...names.map((name) => element('option', { value: name }, [name])));
    if (!names.includes(this.state.unit)) {
      unit.append(element('option', { value: this.state.unit }, [this.state.unit]));
    }
    byId('style').replaceChildren(
      ...this.wasm.style_names().map((name) => element('option', { value: name }, [name])),
    );
    byId('preset').append(
      ...Object.keys(PRESETS).map((name) => element('option', { value: name }, [name])),
    );
  }

  /** Sets the controls to what the state says. */
  #showControls() {
    const { circuit, state } = this;
    if (!circuit) return;
    const set = (/** @type {string} */ id, /** @type {string} */ value) => {
      /** @type {HTMLInputElement} */ (byId(id)).value = value;
    };
    set('spec', state.spec);
    set('unit', state.unit);
    set('style', state.style);
    set('course', state.course);
    set('seed', String(state.seed));
    set('preset', presetOf(state));
    // Without keys and values there is no stream of tokens: inputs are drawn, or held.
    const hasTokens = circuit.buses.some(({ kind, name }) => kind === 'input' && name === 'k');
    byId('preset-field').hidden = !hasTokens;
    byId('wandering').hidden = !hasTokens;
    if (!hasTokens && state.course === 'wandering') set('course', 'independent');
    /** @type {HTMLInputElement} */ (byId('show-path')).checked = state.path;
    /** @type {HTMLInputElement} */ (byId('seed')).disabled = state.course === 'held';
    showInputs(byId('inputs'), circuit, state.course, state.inputs, (name, number) => {
      state.inputs = { ...state.inputs, [name]: number };
      set('preset', presetOf(state));
      this.restart();
    });
  }

  #listen() {
    /** Runs an action when a control changes. */
    const on = (/** @type {string} */ id, /** @type {(value: string) => void} */ act) => {
      const control = /** @type {HTMLInputElement} */ (byId(id));
      control.addEventListener('change', () => act(control.value));
    };
    const rebuild = (/** @type {Partial<import('./state.js').State>} */ change) => {
      const before = { ...this.state };
      Object.assign(this.state, change, { at: '' });
      if (!this.build()) {
        Object.assign(this.state, before);
        this.#showControls();
      }
    };
    on('spec', (spec) => rebuild({ spec: spec.trim() }));
    on('unit', (unit) => rebuild({ unit }));
    on('style', (style) => rebuild({ style: /** @type {'gates'} */ (style) }));
    on('course', (course) => this.#restream({ course: /** @type {'held'} */ (course) }));
    on('preset', (name) => {
      const preset = PRESETS[/** @type {keyof typeof PRESETS} */ (name)];
      if (!preset) return;
      const { u, w, course } = preset;
      this.#restream({
        inputs: { ...this.state.inputs, u, w },
        course: /** @type {'held'} */ (course),
      });
    });
    on('seed', (text) => {
      const seed = FIELDS.seed.parse(text);
      this.#restream(seed === undefined ? {} : { seed });
    });
    on('step', (text) => {
      const step = FIELDS.step.parse(text);
      this.goTo(step ?? this.state.step);
    });
    byId('show-path').addEventListener('change', (event) => {
      this.state.path = /** @type {HTMLInputElement} */ (event.target).checked;
      if (this.map.painter) this.map.painter.showPath = this.state.path;
      this.map.redraw();
      write(FIELDS, this.state);
    });
    byId('forward').addEventListener('click', () => this.goTo(this.state.step + 1));
    byId('back').addEventListener('click', () => this.goTo(this.state.step - 1));
    byId('reset').addEventListener('click', () => this.goTo(0));
    byId('run').addEventListener('click', () => this.#run(this.timer === 0));
    this.map.bindButtons();
  }

  /** @param {Partial<import('./state.js').State>} change */
  #restream(change) {
    Object.assign(this.state, change);
    this.#showControls();
    this.restart();
  }

  /**
   * Shows another step.
   *
   * @param {number} step
   */
  goTo(step) {
    this.state.step = Math.min(Math.max(step, 0), LAST_STEP);
    if (this.state.step === LAST_STEP) this.#run(false);
    this.showStep();
  }

  /** @param {boolean} on */
  #run(on) {
    clearInterval(this.timer);
    this.timer = on ? window.setInterval(() => this.goTo(this.state.step + 1), PACE) : 0;
    byId('run').textContent = on ? 'Pause' : 'Run';
    byId('agreement').setAttribute('aria-live', on ? 'off' : 'polite');
  }
}

/**
 * The preset that a state is of; empty if none.
 *
 * @param {import('./state.js').State} state
 */
function presetOf({ inputs, course }) {
  const found = Object.entries(PRESETS).find(
    ([, preset]) => preset.u === inputs.u && preset.w === inputs.w && preset.course === course,
  );
  return found?.[0] ?? '';
}

/** @param {import('../../wasm/circuits.js').Stimuli} stimuli */
function agreement(stimuli) {
  const [agreed, claimed] = [stimuli.agreed(), stimuli.claimed()];
  if (claimed === 0) return 'The integer model says nothing of these inputs.';
  return agreed === claimed ?
      `The gates agree with the integer model: ${agreed} of ${claimed} steps.`
    : `The gates differ from the integer model: ${claimed - agreed} of ${claimed} steps.`;
}

try {
  const page = new CircuitPage(await loadWasm());
  page.start();
  Object.assign(globalThis, { circuitPage: page });
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  notice('wasm', `${reason} No circuit can be drawn here; the story and the channel's page work.`);
}
