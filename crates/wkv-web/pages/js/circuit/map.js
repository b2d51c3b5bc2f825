/** The canvas: keeps its size, draws when something changed, and takes pointer and keys. */

import { byId } from './dom.js';
import { AXIS, Painter, pinWidth } from './painter.js';
import { Viewport } from './viewport.js';

/** @typedef {import('./schematic.js').Circuit} Circuit */
/** @typedef {import('./schematic.js').Place} Place */

/** What one key press or turn of the wheel changes the scale by. */
const ZOOM = 1.35;

/** How far a pointer may move, in pixels, and still click. */
const CLICK = 5;

/** A circuit on a canvas that can be panned, zoomed and clicked into. */
export class CircuitMap {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {(place: Place) => void} chosen is called with what was clicked
   * @param {() => void} outward is called to go to the instance around
   */
  constructor(canvas, chosen, outward) {
    this.canvas = canvas;
    this.chosen = chosen;
    this.outward = outward;
    this.context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    this.view = new Viewport(() => this.redraw());
    /** @type {Painter | null} */
    this.painter = null;
    this.frame = 0;
    /** Milliseconds that the latest drawing took. */
    this.drawTime = 0;
    new ResizeObserver(() => this.#resize()).observe(canvas);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.painter?.readColours();
      this.redraw();
    });
    this.#listen();
  }

  /**
   * Shows another circuit, all of it.
   *
   * @param {Circuit} circuit
   * @param {Uint8Array} [unitLines] for each instance the line of the inventory of its unit
   */
  show(circuit, unitLines) {
    this.painter = new Painter(this.context, this.view, circuit);
    if (unitLines) this.painter.unitLines = unitLines;
    this.view.drawing = { width: circuit.width, height: circuit.height };
    this.#resize();
    this.view.fitAll(true);
  }

  /**
   * Moves to a place: fills the view with an instance, or puts a gate in its middle.
   *
   * @param {Place} place
   * @param {boolean} [at_once]
   */
  visit(place, at_once = false) {
    const circuit = this.painter?.circuit;
    if (!circuit) return;
    if ('instance' in place) {
      if (place.instance === 0) this.view.fitAll(at_once);
      else
        this.view.fit(circuit.boxes.subarray(4 * place.instance, 4 * place.instance + 4), at_once);
    } else if (circuit.busOfWire[place.wire] >= 0) {
      this.view.fitAll(at_once);
    } else {
      const [left, top, right, bottom] = circuit.gateBox(place.wire);
      const [wide, high] = [3 * (right - left), 4];
      this.view.fit([left - wide, top - high, right + wide, bottom + high], at_once);
    }
  }

  /** Binds the buttons above the map. */
  bindButtons() {
    byId('zoom-in').addEventListener('click', () => this.view.zoom(1.5));
    byId('zoom-out').addEventListener('click', () => this.view.zoom(1 / 1.5));
    byId('fit').addEventListener('click', () => this.view.fitAll());
    byId('up').addEventListener('click', () => this.outward());
  }

  /** Draws in the next frame. */
  redraw() {
    this.frame ||= requestAnimationFrame((now) => this.#draw(now));
  }

  /** @param {number} now */
  #draw(now) {
    this.frame = 0;
    if (!this.painter) return;
    const goesOn = this.view.advance(now);
    const start = performance.now();
    this.painter.draw();
    this.drawTime = performance.now() - start;
    if (goesOn) this.redraw();
  }

  #resize() {
    const { canvas, view } = this;
    const { clientWidth, clientHeight } = canvas;
    const scale = devicePixelRatio || 1;
    if (clientWidth === 0) return;
    const resized = clientWidth !== view.width || clientHeight !== view.height;
    canvas.width = Math.round(clientWidth * scale);
    canvas.height = Math.round(clientHeight * scale);
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    view.width = clientWidth;
    view.height = clientHeight;
    const side = 1.2 * pinWidth(clientWidth) + 8;
    view.margins = { left: side, right: side, top: AXIS + 8, bottom: 10 };
    if (resized && this.painter) this.visit(this.painter.selected, true);
    this.redraw();
  }

  #listen() {
    const { canvas, view } = this;
    canvas.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault();
        const { x, y } = this.#point(event);
        if (event.shiftKey) view.pan(-event.deltaY, 0);
        else view.zoom(ZOOM ** (-event.deltaY / (event.deltaMode === 0 ? 100 : 3)), x, y);
      },
      { passive: false },
    );
    canvas.addEventListener('keydown', (event) => this.#key(event));
    this.#listenToPointers();
  }

  /** Drag to pan, two fingers to zoom, click to choose. */
  #listenToPointers() {
    const { canvas, view } = this;
    /** @type {Map<number, { x: number, y: number }>} */
    const pointers = new Map();
    let moved = 0;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      pointers.set(event.pointerId, this.#point(event));
      moved = pointers.size > 1 ? Infinity : 0;
    });
    canvas.addEventListener('pointermove', (event) => {
      const point = this.#point(event);
      const before = pointers.get(event.pointerId);
      if (!before) return this.#hover(point);
      if (pointers.size === 1) {
        moved += Math.hypot(point.x - before.x, point.y - before.y);
        if (moved > CLICK) view.pan(point.x - before.x, point.y - before.y);
      } else {
        const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1] ?? before;
        const was = Math.hypot(before.x - other.x, before.y - other.y);
        const is = Math.hypot(point.x - other.x, point.y - other.y);
        view.zoom(is / Math.max(was, 1), (point.x + other.x) / 2, (point.y + other.y) / 2);
        view.pan((point.x - before.x) / 2, (point.y - before.y) / 2);
      }
      pointers.set(event.pointerId, point);
    });
    canvas.addEventListener('pointerup', (event) => {
      pointers.delete(event.pointerId);
      const { x, y } = this.#point(event);
      const place = moved <= CLICK ? this.painter?.at(x, y) : null;
      if (place) this.chosen(place);
    });
    canvas.addEventListener('pointercancel', (event) => pointers.delete(event.pointerId));
    canvas.addEventListener('pointerleave', () => this.#hover(null));
  }

  /** @param {{ x: number, y: number } | null} point */
  #hover(point) {
    if (!this.painter) return;
    const place = point && this.painter.at(point.x, point.y);
    const before = this.painter.hovered;
    if (JSON.stringify(place) === JSON.stringify(before)) return;
    this.painter.hovered = place;
    this.redraw();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { view } = this;
    const far = Math.min(view.width, view.height) / 6;
    /** @type {Record<string, () => void>} */
    const actions = {
      '+': () => view.zoom(ZOOM),
      '=': () => view.zoom(ZOOM),
      '-': () => view.zoom(1 / ZOOM),
      0: () => view.fitAll(),
      ArrowLeft: () => view.pan(far, 0),
      ArrowRight: () => view.pan(-far, 0),
      ArrowUp: () => view.pan(0, far),
      ArrowDown: () => view.pan(0, -far),
      Escape: () => this.outward(),
      Backspace: () => this.outward(),
      Enter: () => this.#enterMiddle(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  /** Chooses what is in the middle of the view. */
  #enterMiddle() {
    const place = this.painter?.at(this.view.width / 2, this.view.height / 2);
    if (place) this.chosen(place);
  }

  /** @param {MouseEvent} event */
  #point(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  }
}
