/** The gallery: circuits of the library, of a size of the reader's choice, drawn and running. */

import { flag, readAddress, words, write } from '../common/url-state.js';
import { notice } from '../common/notice.js';
import { loadWasm } from '../common/circuits.js';
import { byId, element, linkButton, thousands } from '../circuit/dom.js';
import { showDetails } from '../circuit/details.js';
import { CircuitMap } from '../circuit/map.js';
import { Circuit } from '../circuit/schematic.js';
import { showBuses } from '../circuit/tables.js';
import { HierarchyTree } from '../circuit/tree.js';
import { showPorts } from './ports.js';
import { thumbnail } from './thumbnails.js';

/** @typedef {typeof import('../../wasm/circuits.js')} Wasm */
/** @typedef {import('../circuit/schematic.js').Place} Place */

/** The cells that have a picture, in this order; the others are in the list. */
const PICTURES = [
  'ripple_adder',
  'brent_kung_adder',
  'wallace',
  'right_shifter',
  'divider',
  'chain',
  'tree',
  'grid',
  'triangle',
  'counter',
  'lfsr',
  'johnson_counter',
  'elementary_automaton',
  'serial_adder',
  'serial_divider',
  'pulse_stretcher',
];

/** Milliseconds from one clock edge to the next. */
const PACE = 300;

/** Steps after which a run begins anew, so that no more are kept than needed. */
const MOST_STEPS = 4096;

const FIELDS = {
  cell: words('ripple_adder', 60),
  numbers: words('', 60),
  optimised: flag(true),
  inputs: words('', 200),
};

class Gallery {
  /** @param {Wasm} wasm */
  constructor(wasm) {
    this.wasm = wasm;
    this.state = readAddress(FIELDS);
    /**
     * The example numbers of each cell.
     *
     * @type {Map<string, number[]>}
     */
    this.examples = new Map(
      wasm.library_cells().map((text) => {
        const [name, numbers] = text.split(':');
        return [name, numbers.split(',').map(Number)];
      }),
    );
    this.map = new CircuitMap(
      /** @type {HTMLCanvasElement} */ (byId('map')),
      (place) => this.select(place),
      () => this.outward(),
    );
    this.tree = new HierarchyTree(byId('tree'), (place) => this.select(place));
    /** @type {Circuit | null} */
    this.circuit = null;
    /** @type {Place} */
    this.place = { instance: 0 };
    /**
     * The number on each input port.
     *
     * @type {number[]}
     */
    this.inputs = [];
    this.step = 0;
    this.timer = 0;
    /** @type {Map<string, HTMLElement>} */
    this.pictures = new Map();
  }

  start() {
    this.#fillPictures();
    this.#listen();
    if (!this.build()) {
      this.state = { ...this.state, cell: FIELDS.cell.initial, numbers: '', inputs: '' };
      this.build({ keepNotice: true });
    }
    const moves = !matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (moves && this.#isSequential()) this.#run(true);
  }

  /** Builds the circuit of the state; false if there is none, which is told. */
  build({ keepNotice = false } = {}) {
    let source;
    const { cell, optimised } = this.state;
    try {
      source = this.wasm.library_schematic(cell, Uint32Array.from(this.numbers()), optimised);
    } catch (error) {
      notice('circuit', `This circuit can't be shown. ${error}`);
      return false;
    }
    if (!keepNotice) notice('circuit', null);
    this.#run(false);
    this.circuit?.free();
    this.circuit = new Circuit(source);
    this.place = { instance: 0 };
    this.inputs = this.#readInputs();
    this.map.show(this.circuit);
    this.tree.show(this.circuit);
    this.#showControls();
    this.restart();
    this.select({ instance: 0 });
    return true;
  }

  /** The numbers of the circuit: those of the state, else the example's. */
  numbers() {
    const { cell, numbers } = this.state;
    const given = numbers === '' ? (this.examples.get(cell) ?? []) : numbers.split(',').map(Number);
    if (given.some((number) => !Number.isInteger(number) || number < 0 || number > 0xffff)) {
      throw `"${numbers}" are no sizes.`;
    }
    return given;
  }

  /** From the first clock on again. */
  restart() {
    this.circuit?.source.restart();
    this.step = -1;
    this.advance();
  }

  /** One clock on, with the inputs as they stand. */
  advance() {
    const { circuit, map } = this;
    if (!circuit || !map.painter) return;
    if (this.step + 1 >= MOST_STEPS) return this.restart();
    try {
      circuit.source.advance(Uint32Array.from(this.inputs));
    } catch (error) {
      notice('loop', String(error));
      circuit.source.restart();
      this.step = -1;
      return;
    }
    notice('loop', null);
    this.step++;
    map.painter.values = circuit.source.values(this.step);
    map.painter.numbers = circuit.source.bus_numbers(this.step);
    map.redraw();
    showBuses(byId('buses'), circuit, map.painter.numbers, (place) => this.select(place));
    showDetails(byId('details'), circuit, this.place, map.painter.values, (place) =>
      this.select(place),
    );
    byId('clock').textContent = this.#isSequential() ? `clock ${this.step}` : '';
  }

  /** @param {Place} place */
  select(place) {
    const { circuit, map } = this;
    if (!circuit || !map.painter) return;
    this.place = place;
    map.painter.selected = place;
    map.visit(place);
    map.redraw();
    this.tree.select(place);
    showDetails(byId('details'), circuit, place, map.painter.values, (next) => this.select(next));
    this.#crumbs();
  }

  outward() {
    if (this.circuit) this.select(this.circuit.outside(this.place));
  }

  #crumbs() {
    const { circuit, place } = this;
    if (!circuit) return;
    const instance = 'instance' in place ? place.instance : circuit.origins[place.wire];
    const items = [0, ...circuit.around(instance)].map((at) => {
      const name = at === 0 ? 'all' : circuit.cells[at];
      return element('li', {}, [linkButton(name, () => this.select({ instance: at }))]);
    });
    byId('crumbs').replaceChildren(...items);
  }

  #isSequential() {
    return this.circuit !== null && (this.circuit.registers > 0 || this.state.cell === 'sr_latch');
  }

  /** The input ports of the circuit. */
  #ports() {
    return this.circuit?.buses.filter(({ kind }) => kind === 'input') ?? [];
  }

  /** The numbers on the input ports: of the state, else something to look at. */
  #readInputs() {
    const ports = this.#ports();
    const given = this.state.inputs.split(',').map(Number);
    const fits = this.state.inputs !== '' && given.length === ports.length;
    return ports.map(({ wires }, at) => {
      const size = 2 ** wires.length;
      const number =
        fits ? given[at]
        : wires.length === 1 ? 1
        : 0xb6d93 >> at;
      return Number.isInteger(number) && number >= 0 ? number % size : 0;
    });
  }

  #fillPictures() {
    const strip = byId('pictures');
    for (const name of PICTURES.filter((name) => this.examples.has(name))) {
      const numbers = Uint32Array.from(this.examples.get(name) ?? []);
      const circuit = new Circuit(this.wasm.library_schematic(name, numbers, true));
      const { button, draw } = thumbnail(circuit, name.replaceAll('_', ' '), () =>
        this.#show(name),
      );
      strip.append(button);
      draw();
      circuit.free();
      this.pictures.set(name, button);
    }
    const names = [...this.examples.keys()];
    byId('cell').replaceChildren(
      ...names.map((name) => element('option', { value: name }, [name])),
    );
  }

  /** @param {string} cell */
  #show(cell) {
    const before = { ...this.state };
    Object.assign(this.state, { cell, numbers: '', inputs: '' });
    if (!this.build()) Object.assign(this.state, before);
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (this.#isSequential() && !still) this.#run(true);
  }

  #showControls() {
    const { circuit, state } = this;
    if (!circuit) return;
    const numbers = this.numbers();
    const parameters = this.wasm.library_parameters(state.cell);
    byId('numbers').replaceChildren(
      ...parameters.map((name, at) => {
        const field = /** @type {HTMLInputElement} */ (
          element('input', { type: 'number', min: '0', step: '1', id: `number-${name}` })
        );
        field.value = String(numbers[at]);
        field.addEventListener('change', () => this.#resize(at, field.valueAsNumber));
        return element('label', {}, [this.#isWidth(name) ? `width of ${name}` : name, field]);
      }),
    );
    /** @type {HTMLSelectElement} */ (byId('cell')).value = state.cell;
    /** @type {HTMLInputElement} */ (byId('optimised')).checked = state.optimised;
    for (const [name, button] of this.pictures) {
      button.setAttribute('aria-pressed', String(name === state.cell));
    }
    const flipFlops = circuit.registers > 0 ? `, ${circuit.registers} flip-flops` : '';
    byId('summary').textContent =
      `${state.cell}:${numbers.join(',')}: ${thousands(circuit.gates)} gates${flipFlops}, ` +
      `depth ${circuit.depth}`;
    byId('map').setAttribute(
      'aria-label',
      `Map of ${state.cell}: ${circuit.gates} gates in columns by depth. ` +
        'The tree beside it says the same.',
    );
    byId('player').hidden = !this.#isSequential();
    this.#showPorts();
    write(FIELDS, state);
  }

  /** @param {string} name */
  #isWidth(name) {
    return this.#ports().some((port) => port.name === name);
  }

  #showPorts() {
    showPorts(byId('ports'), this.#ports(), this.inputs, (port, number) => {
      const focused = /** @type {HTMLElement | null} */ (document.activeElement)?.dataset.bit;
      this.inputs[port] = number;
      this.state.inputs = this.inputs.join(',');
      this.#showPorts();
      if (focused)
        /** @type {HTMLElement | null} */ (
          document.querySelector(`[data-bit="${focused}"]`)
        )?.focus();
      if (this.#isSequential()) {
        if (this.timer === 0) this.advance();
      } else {
        this.restart();
      }
      write(FIELDS, this.state);
    });
  }

  /**
   * Another size; buses that were of one width stay so.
   *
   * @param {number} at
   * @param {number} number
   */
  #resize(at, number) {
    const before = { ...this.state };
    const numbers = this.numbers();
    const parameters = this.wasm.library_parameters(this.state.cell);
    const was = numbers[at];
    const moved = numbers.map((other, index) =>
      index === at || (was > 1 && other === was && this.#isWidth(parameters[index])) ?
        number
      : other,
    );
    Object.assign(this.state, { numbers: moved.join(','), inputs: '' });
    if (!this.build()) {
      Object.assign(this.state, before);
      this.#showControls();
    }
  }

  #listen() {
    byId('cell').addEventListener('change', (event) =>
      this.#show(/** @type {HTMLSelectElement} */ (event.target).value),
    );
    byId('optimised').addEventListener('change', (event) => {
      this.state.optimised = /** @type {HTMLInputElement} */ (event.target).checked;
      this.build();
    });
    byId('forward').addEventListener('click', () => this.advance());
    byId('reset').addEventListener('click', () => this.restart());
    byId('run').addEventListener('click', () => this.#run(this.timer === 0));
    this.map.bindButtons();
  }

  /** @param {boolean} on */
  #run(on) {
    clearInterval(this.timer);
    this.timer = on ? window.setInterval(() => this.advance(), PACE) : 0;
    byId('run').textContent = on ? 'Pause' : 'Run';
  }
}

try {
  const page = new Gallery(await loadWasm());
  page.start();
  Object.assign(globalThis, { gallery: page });
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  notice('wasm', `${reason} No circuit can be drawn here; the story and the channel's page work.`);
}
