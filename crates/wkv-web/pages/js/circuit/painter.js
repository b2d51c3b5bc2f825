/** Draws a circuit on a canvas: boxes, gates, bundles of wires, the critical path, values. */

import { Cut } from './cut.js';
import { KIND } from './schematic.js';
import { formatNumber } from './number.js';

/** @typedef {import('./schematic.js').Circuit} Circuit */
/** @typedef {import('./schematic.js').Bus} Bus */
/** @typedef {import('./schematic.js').Place} Place */
/** @typedef {import('./viewport.js').Viewport} Viewport */

/** The share of its column that a gate leaves free on each side, for wires. */
const GAP = 0.27;

/** From what height of a row on gates have outlines, and labels, in pixels. */
const DETAIL = { outline: 7, label: 15 };

/** How many bundles have their width written beside them: the longest. */
const MOST_WIDTHS = 36;

/** How many colours the style sheet has for units. */
const UNIT_HUES = [0, 1, 2, 3, 4, 5, 6];

/**
 * Colours by the names of the style sheet.
 *
 * @param {Element} element
 */
export function readColours(element) {
  const style = getComputedStyle(element);
  const colour = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  return {
    ground: colour('ground'),
    panel: colour('panel'),
    ink: colour('ink'),
    soft: colour('soft-ink'),
    line: colour('line'),
    accent: colour('accent'),
    path: colour('circuit'),
    high: colour('high'),
    low: colour('low'),
    nest: [colour('nest-0'), colour('nest-1')],
    units: UNIT_HUES.map((hue) => style.getPropertyValue(`--unit-${hue}`).trim()),
  };
}

/** Draws one circuit in one view. */
export class Painter {
  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Viewport} view
   * @param {Circuit} circuit
   */
  constructor(context, view, circuit) {
    this.context = context;
    this.view = view;
    this.circuit = circuit;
    this.cut = new Cut(circuit);
    this.colours = readColours(context.canvas);
    /**
     * The value of each wire; empty if nothing runs.
     *
     * @type {Uint8Array}
     */
    this.values = new Uint8Array(0);
    /**
     * The number on each bus.
     *
     * @type {Float64Array}
     */
    this.numbers = new Float64Array(0);
    /** @type {Place} */
    this.selected = { instance: 0 };
    /** @type {Place | null} */
    this.hovered = null;
    this.showPath = true;
    /** Without words, numbers and borders: a small picture. */
    this.bare = false;
    /**
     * For each instance the line of the inventory that its unit has; 255 for none.
     *
     * @type {Uint8Array}
     */
    this.unitLines = new Uint8Array(circuit.cells.length).fill(255);
    this.depthOf = depths(circuit);
    this.pins = placePins(circuit);
  }

  /** Takes the colours of the page's scheme, which may have changed. */
  readColours() {
    this.colours = readColours(this.context.canvas);
  }

  /** Draws everything that is in view. */
  draw() {
    const { context, view, colours } = this;
    this.cut.update(view);
    context.font = FONT.small;
    context.textBaseline = 'middle';
    context.lineJoin = 'round';
    context.fillStyle = colours.ground;
    context.fillRect(0, 0, view.width, view.height);
    this.#boxes();
    this.#bundles();
    this.#gates();
    if (this.showPath) this.#path();
    if (this.bare) return;
    this.#labels();
    this.#pins();
    this.#axis();
    this.#marks();
  }

  /**
   * Left, top, right and bottom of an instance on the canvas.
   *
   * @param {number} at
   */
  box(at) {
    const { circuit, view } = this;
    const [left, top, right, bottom] = circuit.boxes.subarray(4 * at, 4 * at + 4);
    // Each box stands a little inside the one around it, within the gap beside the gates.
    const inset = GAP * 0.8 * (1 - 0.78 ** this.depthOf[at]);
    const { first, last } = circuit.size(at);
    const columns = circuit.columns;
    return [
      view.x(left + inset * (columns[first] - columns[first - 1])),
      view.y(top),
      view.x(right - inset * (columns[last] - columns[last - 1])),
      view.y(bottom),
    ];
  }

  /**
   * Left, top, right and bottom of a gate on the canvas.
   *
   * @param {number} wire
   */
  gate(wire) {
    return this.#inColumn(this.circuit.gateBox(wire));
  }

  /**
   * A box of the drawing on the canvas, with room for wires on all sides.
   *
   * @param {number[]} box
   */
  #inColumn([left, top, right, bottom]) {
    const gap = GAP * (right - left);
    const { view } = this;
    return [view.x(left + gap), view.y(top + 0.12), view.x(right - gap), view.y(bottom - 0.12)];
  }

  /** @param {Bus} bus */
  pin(bus) {
    const { view } = this;
    const isRight = bus.kind === 'output' || bus.kind === 'next';
    const row = this.pins[bus.index];
    const y = view.y(row * this.circuit.height);
    const width = pinWidth(view.width);
    const gap = width / 5;
    const x = isRight ? view.x(this.circuit.width) + gap : view.x(0) - gap - width;
    return [x, y - 11, x + width, y + 11];
  }

  #boxes() {
    const { context, colours, cut } = this;
    context.lineWidth = 1;
    for (const at of [...cut.openInView, ...cut.closedInView]) {
      if (at === 0) continue;
      const [left, top, right, bottom] = this.box(at);
      context.fillStyle = this.#fill(at);
      context.strokeStyle = colours.line;
      context.fillRect(left, top, right - left, bottom - top);
      if (right - left > 5 && bottom - top > 5) {
        context.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
      }
    }
  }

  /**
   * The ground of an instance: its unit's, else one that sets it off.
   *
   * @param {number} at
   */
  #fill(at) {
    const { colours, unitLines } = this;
    const line = unitLines[at];
    if (line === 255) return colours.nest[this.depthOf[at] % 2];
    return colours.units[line % colours.units.length];
  }

  /** Every gate in view, by its value; with its function and value where there is room. */
  #gates() {
    const { context, circuit, view, colours, values } = this;
    const outline = 0.76 * view.scaleY >= DETAIL.outline;
    /** @type {number[][]} */
    const byValue = [[], []];
    for (let wire = 0; wire < circuit.kinds.length; wire++) {
      if (circuit.kinds[wire] !== KIND.gate) continue;
      const y = view.y(circuit.rows[wire]);
      if (y > view.height || y + view.scaleY < 0) continue;
      const level = circuit.levels[wire];
      if (view.x(circuit.columns[level]) < 0 || view.x(circuit.columns[level - 1]) > view.width) {
        continue;
      }
      byValue[values[wire] ?? 0].push(wire);
    }
    for (const value of [0, 1]) {
      context.fillStyle = value ? colours.high : colours.low;
      for (const wire of byValue[value]) {
        const [left, top, right, bottom] = this.gate(wire);
        const height = Math.max(bottom - top, 0.8);
        context.fillRect(left, top, Math.max(right - left, 0.8), height);
        if (outline) {
          context.strokeStyle = value ? colours.high : colours.soft;
          context.lineWidth = 1;
          context.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
        }
      }
    }
    if (view.scaleY < DETAIL.label || this.bare) return;
    context.font = view.scaleY > 24 ? FONT.gate : FONT.small;
    for (const value of [0, 1]) {
      context.fillStyle = value ? colours.ground : colours.ink;
      for (const wire of byValue[value]) this.#gateText(wire, value);
    }
  }

  /**
   * @param {number} wire
   *
   * @param {number} value
   */
  #gateText(wire, value) {
    const { context } = this;
    const [left, top, right, bottom] = this.gate(wire);
    const y = (top + bottom) / 2 + 0.5;
    const name = this.circuit.function(wire).name;
    const digit = this.values.length > 0 ? String(value) : '';
    const room = right - left - 10;
    const width = context.measureText(name).width;
    context.textAlign = 'left';
    if (width + 14 <= room) {
      context.fillText(name, left + 5, y);
      context.textAlign = 'right';
      context.fillText(digit, right - 5, y);
    } else if (width <= room + 6 && bottom - top >= 27) {
      context.textAlign = 'center';
      context.fillText(name, (left + right) / 2, y - 7);
      context.fillText(digit, (left + right) / 2, y + 7);
    } else if (room >= 0) {
      context.textAlign = 'center';
      context.fillText(digit, (left + right) / 2, y);
    }
  }

  /** The wires between what is seen: a line as thick as they are many. */
  #bundles() {
    const { context, view, colours, values, cut } = this;
    const labels = [];
    const few = cut.bundles.length < 2500;
    /** @type {number[][][]} */
    const single = [[], []];
    context.strokeStyle = colours.soft;
    for (const bundle of cut.bundles) {
      const curve = this.#curve(bundle);
      const [x0, y0, , , , , x1, y1] = curve;
      if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > view.width) continue;
      if (Math.max(y0, y1) < 0 || Math.min(y0, y1) > view.height) continue;
      if (bundle.count === 1) {
        if (few || view.scaleY > 5) single[values[bundle.wire] ?? 0].push(curve);
        continue;
      }
      context.globalAlpha = 0.55;
      context.lineWidth = 0.7 + 0.55 * Math.log2(bundle.count);
      context.beginPath();
      trace(context, curve);
      context.stroke();
      const length = Math.hypot(x1 - x0, y1 - y0);
      if (bundle.count > 3 && length > 44) labels.push({ curve, bundle, length });
    }
    // Wires that carry a 1 are strong, those that carry a 0 are faint.
    for (const value of [0, 1]) {
      context.globalAlpha = value ? 0.8 : 0.4;
      context.lineWidth = value ? 1.4 : 0.8;
      context.strokeStyle = value ? colours.high : colours.soft;
      context.beginPath();
      for (const curve of single[value]) trace(context, curve);
      context.stroke();
    }
    context.globalAlpha = 1;
    if (this.bare) return;
    labels.sort((a, b) => b.length - a.length);
    this.#widths(labels.slice(0, MOST_WIDTHS));
  }

  /**
   * How many wires the thick lines stand for.
   *
   * @param {{ curve: number[], bundle: { count: number } }[]} labels
   */
  #widths(labels) {
    const { context, colours } = this;
    context.font = FONT.small;
    context.textAlign = 'center';
    for (const { curve, bundle } of labels) {
      const x = at(curve, 0, 0.5);
      const y = at(curve, 1, 0.5);
      const text = String(bundle.count);
      const half = context.measureText(text).width / 2 + 2;
      context.fillStyle = colours.ground;
      context.fillRect(x - half, y - 6, 2 * half, 12);
      context.fillStyle = colours.soft;
      context.fillText(text, x, y + 0.5);
    }
  }

  /**
   * A curve from one element to another, rightward.
   *
   * @param {import('./cut.js').Bundle} bundle
   * @returns {number[]} four points of a Bézier curve
   */
  #curve({ from, to, fromX, toX, slot }) {
    const { view, cut, circuit } = this;
    const a = this.#element(from);
    const b = this.#element(to);
    if (to >= cut.firstWire && to < cut.firstBus && !cut.stacked) {
      const arity = circuit.inputsOf(to - cut.firstWire).length;
      const y = b[1] + ((slot + 1) / (arity + 1)) * (b[3] - b[1]);
      return this.#between(a, [b[0], y, b[0], y], view.x(fromX), b[0], from >= cut.firstWire, true);
    }
    return this.#between(
      a,
      b,
      view.x(fromX),
      view.x(toX),
      from >= cut.firstWire,
      to >= cut.firstBus,
    );
  }

  /**
   * @param {number[]} a
   * @param {number[]} b
   * @param {number} fromX
   * @param {number} toX
   * @param {boolean} fromSide whether the curve leaves at the right side
   * @param {boolean} toSide whether it arrives at the left side
   */
  #between(a, b, fromX, toX, fromSide, toSide) {
    const below = b[1] > a[3];
    const above = b[3] < a[1];
    const apart = below || above;
    const side = fromSide || !apart;
    const x0 = side ? a[2] : Math.min(Math.max(fromX, a[0]), a[2]);
    const shared = (Math.max(a[1], b[1]) + Math.min(a[3], b[3])) / 2;
    const y0 =
      side ?
        apart ? (a[1] + a[3]) / 2
        : clamp(shared, a[1], a[3])
      : below ? a[3]
      : a[1];
    const into = toSide || !apart;
    const x1 = into ? b[0] : Math.min(Math.max(toX, b[0]), b[2]);
    const y1 =
      into ?
        apart ? (b[1] + b[3]) / 2
        : clamp(shared, b[1], b[3])
      : below ? b[1]
      : b[3];
    const reach = Math.min(Math.max(Math.abs(x1 - x0) / 2, 6), 90);
    const drop = (y1 - y0) / 2;
    return [
      x0,
      y0,
      side ? x0 + reach : x0,
      side ? y0 : y0 + drop,
      into ? x1 - reach : x1,
      into ? y1 : y1 - drop,
      x1,
      y1,
    ];
  }

  /** @param {number} element */
  #element(element) {
    const { cut, circuit } = this;
    if (element < cut.firstWire) return this.box(element);
    if (element < cut.firstBus) return this.#inColumn(cut.gateBox(element - cut.firstWire));
    return this.pin(circuit.buses[element - cut.firstBus]);
  }

  /** The critical path, through its gates. */
  #path() {
    const { context, circuit, colours, view } = this;
    const around = view.scaleY >= DETAIL.label;
    context.beginPath();
    let before = null;
    for (const wire of circuit.path) {
      const isGate = circuit.kinds[wire] === KIND.gate;
      const bus = circuit.busOfWire[wire];
      if (!isGate && bus < 0) continue;
      const box = isGate ? this.gate(wire) : this.pin(circuit.buses[bus]);
      const y = (box[1] + box[3]) / 2;
      if (before) {
        const reach = Math.min((box[0] - before[0]) / 2, 40);
        context.bezierCurveTo(before[0] + reach, before[1], box[0] - reach, y, box[0], y);
      } else {
        context.moveTo(isGate ? box[0] : box[2], y);
      }
      // Around a gate that has its value written on it, through a small one.
      if (isGate && around) context.rect(box[0], box[1], box[2] - box[0], box[3] - box[1]);
      if (isGate && around) context.moveTo(box[2], y);
      else if (isGate) context.lineTo(box[2], y);
      before = [box[2], y];
    }
    context.strokeStyle = colours.ground;
    context.lineWidth = 4.5;
    context.globalAlpha = 0.7;
    context.stroke();
    context.globalAlpha = 1;
    context.strokeStyle = colours.path;
    context.lineWidth = view.scaleY > DETAIL.outline ? 2.5 : 2;
    context.stroke();
  }

  /** The names of the instances, where there is room; outer ones first. */
  #labels() {
    const { context, circuit, view, cut } = this;
    /** @type {number[][]} */
    const taken = [];
    for (const at of cut.openInView) {
      const passesOn = circuit.children[at].length === 1 && circuit.sizes[5 * at + 1] === 0;
      if (at === 0 || (passesOn && headerOf(circuit, at) * view.scaleY < 12)) continue;
      const [left, top, right] = this.box(at);
      const header = headerOf(circuit, at) * view.scaleY;
      context.font = header > 17 ? FONT.title : FONT.small;
      const y = Math.max(top + Math.min(Math.max(header, 13), 24) / 2, AXIS + 8);
      this.#name(at, left, right, y, 'left', taken);
    }
    context.font = FONT.small;
    for (const at of cut.closedInView) {
      const [left, top, right, bottom] = this.box(at);
      if (bottom - top < 13 || right - left < 30) continue;
      this.#name(at, left, right, (top + bottom) / 2, 'center', taken);
    }
  }

  /**
   * The name of an instance and its gates, if nothing is written there yet.
   *
   * @param {number} instance
   * @param {number} left
   * @param {number} right
   * @param {number} y
   * @param {'left' | 'center'} align
   * @param {number[][]} taken boxes of names
   */
  #name(instance, left, right, y, align, taken) {
    const { context, circuit, colours, view } = this;
    const from = Math.max(left, 0) + 5;
    const to = Math.min(right, view.width) - 5;
    const name = circuit.cells[instance];
    const gates = `${circuit.sizes[5 * instance]}`;
    const long = `${name}  ${gates}`;
    const text = context.measureText(long).width <= to - from ? long : name;
    const width = context.measureText(text).width;
    if (width > to - from || y < 8 || y > view.height) return;
    let x = align === 'left' ? from : (from + to - width) / 2;
    const inWay = () =>
      taken.find(([l, t, r, b]) => x - 3 < r && l < x + width + 3 && y - 7 < b && t < y + 7);
    for (let other = inWay(); other; other = inWay()) {
      x = other[2] + 6;
      if (align === 'center' || x + width > to) return;
    }
    const box = [x - 3, y - 7, x + width + 3, y + 7];
    taken.push(box);
    context.fillStyle = this.#fill(instance);
    context.globalAlpha = 0.85;
    context.fillRect(box[0], box[1], box[2] - box[0], box[3] - box[1]);
    context.globalAlpha = 1;
    context.textAlign = 'left';
    context.fillStyle = colours.ink;
    context.fillText(name, x, y + 0.5);
    if (text === long) {
      context.fillStyle = colours.soft;
      context.fillText(gates, x + context.measureText(`${name}  `).width, y + 0.5);
    }
  }

  /** The buses at both borders, with the numbers on them. */
  #pins() {
    const { context, circuit, colours, view, numbers } = this;
    context.font = FONT.small;
    for (const bus of circuit.buses) {
      if (bus.kind === 'signal') continue;
      const [left, top, right, bottom] = this.pin(bus);
      if (right < 0 || left > view.width || bottom < 0 || top > view.height) continue;
      const isRegister = bus.kind === 'register' || bus.kind === 'next';
      context.fillStyle = colours.panel;
      context.strokeStyle = isRegister ? colours.ink : colours.soft;
      context.lineWidth = isRegister ? 2 : 1;
      context.fillRect(left, top, right - left, bottom - top);
      context.strokeRect(left + 0.5, top + 0.5, right - left - 1, bottom - top - 1);
      const name = bus.kind === 'next' ? `${bus.name}′` : bus.name;
      const number = numbers[bus.index];
      context.fillStyle = colours.ink;
      context.textAlign = 'left';
      context.fillText(fitted(context, name, right - left - 8), left + 4, top + 11.5);
      if (number === undefined || Number.isNaN(number)) continue;
      const text = formatNumber(bus, number);
      const room = right - left - 12 - context.measureText(name).width;
      if (context.measureText(text).width > room) continue;
      context.textAlign = 'right';
      context.fillStyle = colours.soft;
      context.fillText(text, right - 4, top + 11.5);
    }
  }

  /** Levels along the top. */
  #axis() {
    const { context, circuit, colours, view } = this;
    context.fillStyle = colours.ground;
    context.globalAlpha = 0.88;
    context.fillRect(0, 0, view.width, AXIS);
    context.globalAlpha = 1;
    context.font = FONT.small;
    context.textAlign = 'center';
    context.lineWidth = 1;
    let last = -Infinity;
    const step = niceStep(circuit, view);
    for (let level = 0; level < circuit.columns.length; level += step) {
      const x = view.x(circuit.columns[level]);
      if (x < 0 || x > view.width || x - last < 26) continue;
      last = x;
      context.strokeStyle = colours.soft;
      context.beginPath();
      context.moveTo(Math.round(x) + 0.5, AXIS - 4);
      context.lineTo(Math.round(x) + 0.5, AXIS);
      context.stroke();
      context.fillStyle = colours.soft;
      context.fillText(String(level), x, AXIS / 2 - 1.5);
    }
  }

  /** What is selected, and what the pointer is over. */
  #marks() {
    const { context, colours } = this;
    const mark = (/** @type {Place} */ place, /** @type {number} */ width) => {
      const box = this.#placeBox(place);
      if (!box) return;
      const [left, top, right, bottom] = box;
      context.lineWidth = width;
      context.strokeStyle = colours.accent;
      context.strokeRect(left - 1, top - 1, right - left + 2, bottom - top + 2);
    };
    if (this.hovered) mark(this.hovered, 1);
    mark(this.selected, 2.5);
  }

  /** @param {Place} place */
  #placeBox(place) {
    const { circuit } = this;
    if ('instance' in place) return place.instance === 0 ? null : this.box(place.instance);
    if (circuit.kinds[place.wire] === KIND.gate) return this.gate(place.wire);
    const bus = circuit.buses[circuit.busOfWire[place.wire]];
    return bus ? this.pin(bus) : null;
  }

  /**
   * What is drawn at a point of the canvas: the innermost.
   *
   * @param {number} x
   * @param {number} y
   * @returns {Place | null}
   */
  at(x, y) {
    const { circuit, cut } = this;
    const inside = (/** @type {number[]} */ [left, top, right, bottom]) =>
      x >= left && x <= right && y >= top && y <= bottom;
    for (const bus of circuit.buses) {
      const wire = bus.wires.find((bit) => bit >= 0);
      if (bus.kind !== 'signal' && wire !== undefined && inside(this.pin(bus))) return { wire };
    }
    let found = 0;
    for (;;) {
      const next = circuit.children[found].find((child) => inside(this.box(child)));
      if (next === undefined) break;
      found = next;
      if (!cut.open[found]) return { instance: found };
    }
    const wire = circuit.ownGates[found].find((gate) => inside(this.gate(gate)));
    if (wire !== undefined && this.view.scaleY >= 3) return { wire };
    return { instance: found };
  }
}

const FONT = {
  small: '11px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
  gate: '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace',
  title: '600 12px system-ui, "DejaVu Sans", sans-serif',
};

/** The height of the axis, in pixels. */
export const AXIS = 20;

/** The width of a pin on a canvas of some width, in pixels: on a narrow one there is no number. */
export function pinWidth(/** @type {number} */ canvas) {
  return canvas < 560 ? 38 : 92;
}

/**
 * @param {CanvasRenderingContext2D} context
 *
 * @param {number[]} curve
 */
function trace(context, [x0, y0, x1, y1, x2, y2, x3, y3]) {
  context.moveTo(x0, y0);
  context.bezierCurveTo(x1, y1, x2, y2, x3, y3);
}

/**
 * A point of a Bézier curve.
 *
 * @param {number[]} curve
 * @param {0 | 1} axis
 * @param {number} share
 */
function at(curve, axis, share) {
  const rest = 1 - share;
  return (
    rest ** 3 * curve[axis] +
    3 * rest ** 2 * share * curve[axis + 2] +
    3 * rest * share ** 2 * curve[axis + 4] +
    share ** 3 * curve[axis + 6]
  );
}

/**
 * @param {number} value
 *
 * @param {number} least
 * @param {number} most
 */
function clamp(value, least, most) {
  return Math.min(Math.max(value, least), most);
}

/**
 * How deep each instance stands in the hierarchy.
 *
 * @param {Circuit} circuit
 */
function depths({ parents }) {
  const depth = new Uint16Array(parents.length);
  for (let at = 1; at < depth.length; at++) depth[at] = depth[parents[at]] + 1;
  return depth;
}

/**
 * Rows between the top of an instance and what stands in it.
 *
 * @param {Circuit} circuit
 * @param {number} at
 */
function headerOf(circuit, at) {
  const top = circuit.boxes[4 * at + 1];
  let first = Infinity;
  for (const child of circuit.children[at]) first = Math.min(first, circuit.boxes[4 * child + 1]);
  for (const gate of circuit.ownGates[at]) first = Math.min(first, circuit.rows[gate]);
  return first - top;
}

/**
 * Where the buses stand at each border, as shares of the height: in the order of what they are
 * connected to, evenly spaced.
 *
 * @param {Circuit} circuit
 */
function placePins({ buses }) {
  const places = new Float64Array(buses.length);
  const left = buses.filter(({ kind }) => kind === 'input' || kind === 'register');
  const right = buses.filter(({ kind }) => kind === 'output' || kind === 'next');
  for (const side of [left, right]) {
    side.sort((a, b) => a.row - b.row);
    side.forEach(({ index }, place) => (places[index] = (place + 0.5) / side.length));
  }
  return places;
}

/**
 * Levels from one tick to the next.
 *
 * @param {Circuit} circuit
 * @param {Viewport} view
 */
function niceStep(circuit, view) {
  const average = (view.scaleX * circuit.width) / Math.max(circuit.columns.length - 1, 1);
  return [1, 2, 5, 10, 20, 50, 100, 200, 500].find((step) => step * average >= 44) ?? 1000;
}

/**
 * @param {CanvasRenderingContext2D} context
 *
 * @param {string} text
 * @param {number} room
 */
function fitted(context, text, room) {
  let fits = text;
  while (fits.length > 1 && context.measureText(fits).width > room) fits = fits.slice(0, -1);
  return fits;
}
