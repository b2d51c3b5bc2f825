/**
 * Which boxes of a circuit are open in a view, and the bundles of wires between what is then seen.
 *
 * What is seen is a cut through the hierarchy: closed instances, the gates of open ones, and the
 * buses at the border. All wires from one of them to another are one bundle.
 */

import { KIND } from './schematic.js';

/** @typedef {import('./schematic.js').Circuit} Circuit */
/** @typedef {import('./viewport.js').Viewport} Viewport */

/** An instance opens where it is at least so large, in pixels. */
const OPEN = { width: 46, height: 40 };

/** Where rows are lower, in pixels, gates of one instance in one column are one element. */
const STACKED = 6;

/**
 * @typedef {object} Bundle
 * @property {number} from an element, see [`Cut`]
 * @property {number} to
 * @property {number} count of wires
 * @property {number} ends where they are read
 * @property {number} fromX where they leave on average, in the drawing
 * @property {number} toX
 * @property {number} wire the last of them
 * @property {number} slot which input of the reader it is, where that is one gate
 */

/** Elements are numbered: instances first, then wires for their gates, then buses. */
export class Cut {
  /** @param {Circuit} circuit */
  constructor(circuit) {
    this.circuit = circuit;
    this.firstWire = circuit.cells.length;
    this.firstBus = this.firstWire + circuit.kinds.length;
    this.open = new Uint8Array(circuit.cells.length);
    /**
     * Open instances in view, outer ones first.
     *
     * @type {number[]}
     */
    this.openInView = [];
    /** @type {number[]} */
    this.closedInView = [];
    /** @type {Bundle[]} */
    this.bundles = [];
    this.element = new Int32Array(circuit.kinds.length);
    this.stacked = false;
    this.stacks = stacks(circuit);
  }

  /**
   * Left, top, right and bottom of the gates that are one element with `wire`.
   *
   * @param {number} wire
   */
  gateBox(wire) {
    const { circuit, stacked, stacks } = this;
    const [left, top, right, bottom] = circuit.gateBox(wire);
    if (!stacked) return [left, top, right, bottom];
    return [left, stacks.top[wire], right, stacks.bottom[wire]];
  }

  /**
   * Finds out what is open; bundles anew if that is something else than before.
   *
   * @param {Viewport} view
   */
  update(view) {
    const { circuit } = this;
    const open = new Uint8Array(circuit.cells.length);
    this.openInView = [];
    this.closedInView = [];
    const rest = [0];
    while (rest.length > 0) {
      const at = /** @type {number} */ (rest.pop());
      if (circuit.sizes[5 * at] === 0) continue;
      const left = view.x(circuit.boxes[4 * at]);
      const top = view.y(circuit.boxes[4 * at + 1]);
      const right = view.x(circuit.boxes[4 * at + 2]);
      const bottom = view.y(circuit.boxes[4 * at + 3]);
      if (right < 0 || bottom < 0 || left > view.width || top > view.height) continue;
      if (at === 0 || (right - left >= OPEN.width && bottom - top >= OPEN.height)) {
        open[at] = 1;
        this.openInView.push(at);
        rest.push(...circuit.children[at]);
      } else {
        this.closedInView.push(at);
      }
    }
    const stacked = view.scaleY < STACKED;
    const same = stacked === this.stacked && open.every((value, at) => value === this.open[at]);
    if (this.bundles.length > 0 && same) return;
    this.open = open;
    this.stacked = stacked;
    this.#assign();
    this.#bundle();
  }

  /** The element that each wire is seen as. */
  #assign() {
    const { circuit, open, element, firstWire, firstBus, stacked, stacks } = this;
    const owner = new Int32Array(circuit.cells.length);
    owner[0] = -1;
    for (let at = 1; at < owner.length; at++) {
      const outer = owner[circuit.parents[at]];
      owner[at] =
        outer >= 0 ? outer
        : open[at] ? -1
        : at;
    }
    for (let wire = 0; wire < element.length; wire++) {
      const kind = circuit.kinds[wire];
      const outer = kind === KIND.gate ? owner[circuit.origins[wire]] : -1;
      const bus = circuit.busOfWire[wire];
      element[wire] =
        kind === KIND.gate ?
          outer >= 0 ?
            outer
          : firstWire + (stacked ? stacks.first[wire] : wire)
        : bus >= 0 ? firstBus + bus
        : -1;
    }
  }

  #bundle() {
    const { circuit, element, firstBus } = this;
    /** @type {Map<number, Bundle>} */
    const bundles = new Map();
    const elements = firstBus + circuit.buses.length;
    const add = (
      /** @type {number} */ wire,
      /** @type {number} */ to,
      /** @type {number} */ toX,
      /** @type {number} */ reader,
    ) => {
      const from = element[wire];
      if (from < 0 || from === to) return;
      const fromX = circuit.columns[circuit.levels[wire]];
      const key = from * elements + to;
      const bundle = bundles.get(key);
      if (!bundle) {
        const slot = reader < 0 ? 0 : circuit.inputsOf(reader).indexOf(wire);
        bundles.set(key, { from, to, count: 1, ends: 1, fromX, toX, wire, slot });
        return;
      }
      // Wires come one after another: one that is read twice is still one.
      if (bundle.wire !== wire) bundle.count++;
      bundle.wire = wire;
      bundle.ends++;
      bundle.fromX += (fromX - bundle.fromX) / bundle.ends;
      bundle.toX += (toX - bundle.toX) / bundle.ends;
    };
    const sinks = circuit.buses.filter(({ kind }) => kind === 'output' || kind === 'next');
    for (let wire = 0; wire < element.length; wire++) {
      for (const gate of circuit.readers[wire]) {
        add(wire, element[gate], circuit.columns[circuit.levels[gate] - 1], gate);
      }
    }
    for (const bus of sinks) {
      for (const wire of bus.wires) {
        if (wire >= 0) add(wire, firstBus + bus.index, circuit.width, -1);
      }
    }
    this.bundles = [...bundles.values()];
  }
}

/**
 * For each gate the first one that the same instance built in the same column, and from where to
 * where those reach.
 *
 * @param {Circuit} circuit
 */
function stacks({ ownGates, levels, rows, kinds }) {
  const first = new Uint32Array(kinds.length);
  const top = new Float32Array(kinds.length);
  const bottom = new Float32Array(kinds.length);
  for (const gates of ownGates) {
    /** @type {Map<number, number>} */
    const byLevel = new Map();
    for (const gate of gates) {
      const stack = byLevel.get(levels[gate]) ?? gate;
      byLevel.set(levels[gate], stack);
      first[gate] = stack;
      top[stack] = stack === gate ? rows[gate] : Math.min(top[stack], rows[gate]);
      bottom[stack] = Math.max(bottom[stack], rows[gate] + 1);
    }
  }
  return { first, top, bottom };
}
