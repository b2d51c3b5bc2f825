/**
 * A circuit as the page holds it: plain arrays, read once from WebAssembly.
 *
 * Instances of cells and wires go by their numbers; a gate is the wire it drives. Instance 0 is the
 * circuit itself.
 */

/** @typedef {import('../../wasm/circuits.js').Schematic} Source */

/** What drives a wire. */
export const KIND = { constant: 0, input: 1, register: 2, memory: 3, gate: 4 };

/** What a bus is, in words, by its number. */
export const BUS_KINDS = /** @type {const} */ (['input', 'register', 'output', 'next', 'signal']);

/** The number that stands for a wire that is not there. */
const NO_WIRE = 0xffffffff;

/**
 * @typedef {object} Bus
 * @property {number} index
 * @property {string} name
 * @property {(typeof BUS_KINDS)[number]} kind
 * @property {number | null} point bits after the point; null where it is no such number
 * @property {boolean} signed
 * @property {number} origin the instance that named it
 * @property {number[]} wires low bit first; -1 where the circuit has that bit no more
 * @property {number} row the row of the drawing beside which it stands
 */

/**
 * @typedef {object} Size
 * @property {number} gates all inside it
 * @property {number} own built by itself
 * @property {number} depth
 * @property {number} first its first level
 * @property {number} last its last level
 */

/**
 * An instance, or a wire: what can be selected.
 *
 * @typedef {{ instance: number } | { wire: number }} Place
 */

/** A circuit and its drawing. */
export class Circuit {
  /** @param {Source} source */
  constructor(source) {
    this.source = source;
    this.gates = source.gates();
    this.registers = source.registers();
    this.depth = source.depth();

    this.cells = source.cells();
    this.widths = source.widths();
    this.parents = source.parents();
    this.sizes = source.sizes();
    this.boxes = source.boxes();
    this.columns = source.columns();

    this.rows = source.rows();
    this.kinds = source.kinds();
    this.origins = source.origins();
    this.levels = source.levels();
    this.starts = source.input_starts();
    this.inputs = source.inputs();
    this.functionNumbers = source.function_numbers();
    this.functions = source.functions().map((text) => {
      const [name, formula, rows] = text.split('\n');
      return { name, formula, rows };
    });

    this.path = source.critical_path();
    this.onPath = new Uint8Array(this.kinds.length);
    this.path.forEach((wire) => (this.onPath[wire] = 1));
    this.legs = readLegs(source, this);
    this.buses = readBuses(source);
    this.busOfWire = busOfWire(this);

    this.children = childrenOf(this);
    this.ownGates = ownGatesOf(this);
    this.readers = readersOf(this);
    this.width = this.columns[this.columns.length - 1];
    this.height = this.boxes[3];
  }

  /** Gives the circuit's memory back; it can't be run after. */
  free() {
    this.source.free();
  }

  /**
   * @param {number} instance
   * @returns {Size}
   */
  size(instance) {
    const [gates, own, depth, first, last] = this.sizes.subarray(5 * instance, 5 * instance + 5);
    return { gates, own, depth, first, last };
  }

  /**
   * The function of a gate.
   *
   * @param {number} wire
   */
  function(wire) {
    return this.functions[this.functionNumbers[wire]];
  }

  /**
   * The wires that a gate reads.
   *
   * @param {number} wire
   */
  inputsOf(wire) {
    return this.inputs.subarray(this.starts[wire], this.starts[wire + 1]);
  }

  /**
   * Left, top, right and bottom of a gate's column and row.
   *
   * @param {number} wire
   */
  gateBox(wire) {
    const level = this.levels[wire];
    const top = this.rows[wire];
    return [this.columns[level - 1], top, this.columns[level], top + 1];
  }

  /**
   * The instances around `instance`, the outermost first, and itself.
   *
   * @param {number} instance
   */
  around(instance) {
    const around = [];
    for (let at = instance; at !== 0; at = this.parents[at]) around.unshift(at);
    return around;
  }

  /**
   * The instance around a place; around a bus bit it is the whole circuit.
   *
   * @param {Place} place
   * @returns {Place}
   */
  outside(place) {
    if ('instance' in place) return { instance: this.parents[place.instance] };
    return { instance: this.kinds[place.wire] === KIND.gate ? this.origins[place.wire] : 0 };
  }

  /**
   * What a gate or bus bit is called, such as `step/output/g12` or `k[3]`.
   *
   * @param {number} wire
   */
  wireName(wire) {
    if (this.kinds[wire] === KIND.constant) return String(wire);
    if (this.kinds[wire] !== KIND.gate) return this.pinName(wire);
    const origin = this.origins[wire];
    return `${this.cells[origin]} g${this.ownGates[origin].indexOf(wire)}`;
  }

  /**
   * The name of an input or register bit.
   *
   * @param {number} wire
   */
  pinName(wire) {
    const bus = this.buses[this.busOfWire[wire]];
    if (!bus) return `wire ${wire}`;
    return bus.wires.length === 1 ? bus.name : `${bus.name}[${bus.wires.indexOf(wire)}]`;
  }

  /**
   * A place as text: names from the outside in.
   *
   * @param {Place} place
   */
  print(place) {
    if ('wire' in place) {
      const { wire } = place;
      if (this.kinds[wire] !== KIND.gate) return this.pinName(wire);
      const origin = this.origins[wire];
      const steps = this.around(origin).map((at) => this.#step(at));
      return [...steps, `g${this.ownGates[origin].indexOf(wire)}`].join('/');
    }
    return this.around(place.instance)
      .map((at) => this.#step(at))
      .join('/');
  }

  /**
   * The place of a text; undefined if the circuit has none.
   *
   * @param {string} text
   */
  parse(text) {
    const pin = /^([^/]+?)(?:\[(\d+)\])?$/.exec(text);
    const bus = pin && this.buses.find(({ kind, name }) => kind !== 'signal' && name === pin[1]);
    const bit = bus?.wires[Number(pin?.[2] ?? 0)] ?? -1;
    if (bit >= 0 && this.busOfWire[bit] === bus?.index) return { wire: bit };
    let at = 0;
    for (const step of text === '' ? [] : text.split('/')) {
      const gate = /^g(\d+)$/.exec(step);
      if (gate) {
        const wire = this.ownGates[at][Number(gate[1])];
        return wire === undefined ? undefined : { wire };
      }
      const next = this.children[at].find((child) => this.#step(child) === step);
      if (next === undefined) return undefined;
      at = next;
    }
    return { instance: at };
  }

  /**
   * An instance's name among its siblings.
   *
   * @param {number} instance
   */
  #step(instance) {
    const cell = this.cells[instance];
    const alike = this.children[this.parents[instance]].filter((at) => this.cells[at] === cell);
    const number = alike.indexOf(instance);
    return number === 0 ? cell : `${cell}.${number}`;
  }
}

/**
 * @param {Source} source
 *
 * @returns {Bus[]}
 */
function readBuses(source) {
  const names = source.bus_names();
  const forms = source.bus_forms();
  const wires = source.bus_wires();
  const rows = source.bus_rows();
  let start = 0;
  return names.map((name, index) => {
    const [kind, width, point, signed, origin] = forms.subarray(5 * index, 5 * index + 5);
    const bits = Array.from(wires.subarray(start, start + width), (wire) =>
      wire === NO_WIRE ? -1 : wire,
    );
    start += width;
    return {
      index,
      name,
      kind: BUS_KINDS[kind],
      point: point === 255 ? null : point,
      signed: signed === 1,
      origin,
      wires: bits,
      row: rows[index],
    };
  });
}

/**
 * The input or register that each wire is of; -1 if none.
 *
 * @param {Circuit} circuit
 */
function busOfWire({ kinds, buses }) {
  const bus = new Int32Array(kinds.length).fill(-1);
  for (const { index, kind, wires } of buses) {
    if (kind !== 'input' && kind !== 'register') continue;
    for (const wire of wires) if (wire >= 0) bus[wire] = index;
  }
  return bus;
}

/**
 * The stretches of the critical path: the instance, and its gates on it.
 *
 * @param {Source} source
 * @param {Circuit} circuit
 */
function readLegs(source, { path, kinds }) {
  const gates = [...path].filter((wire) => kinds[wire] === KIND.gate);
  const flat = source.path_legs();
  const legs = [];
  for (let at = 0, start = 0; at < flat.length; at += 2) {
    const end = start + flat[at + 1];
    legs.push({ part: flat[at], gates: gates.slice(start, end) });
    start = end;
  }
  return legs;
}

/**
 * The instances inside each that hold gates.
 *
 * @param {Circuit} circuit
 */
function childrenOf(circuit) {
  /** @type {number[][]} */
  const children = circuit.cells.map(() => []);
  for (let at = 1; at < children.length; at++) {
    if (circuit.sizes[5 * at] > 0) children[circuit.parents[at]].push(at);
  }
  return children;
}

/**
 * The gates that each instance built itself.
 *
 * @param {Circuit} circuit
 */
function ownGatesOf({ cells, kinds, origins }) {
  /** @type {number[][]} */
  const own = cells.map(() => []);
  kinds.forEach((kind, wire) => {
    if (kind === KIND.gate) own[origins[wire]].push(wire);
  });
  return own;
}

/**
 * The gates that read each wire.
 *
 * @param {Circuit} circuit
 */
function readersOf({ kinds, starts, inputs }) {
  /** @type {number[][]} */
  const readers = Array.from(kinds, () => []);
  for (let wire = 0; wire < kinds.length; wire++) {
    for (let at = starts[wire]; at < starts[wire + 1]; at++) {
      const list = readers[inputs[at]];
      if (list[list.length - 1] !== wire) list.push(wire);
    }
  }
  return readers;
}
