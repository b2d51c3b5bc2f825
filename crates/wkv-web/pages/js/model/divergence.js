/** The divergence between two arithmetics, token by token, and its mean so far. */

import { short, showFigures } from './figures.js';

/** Divergences below this are the rounding of the sum over the vocabulary. */
const FLOOR = 1e-12;

/** The plot's range: nothing that is drawn is above ten nats or below the floor. */
const RANGE = /** @type {[number, number]} */ ([1e-9, 10]);

export class DivergencePlot {
  /**
   * @param {HTMLElement} place
   * @param {HTMLElement} figures
   */
  constructor(place, figures) {
    this.place = place;
    this.figures = figures;
    /** @type {any} */
    this.plot = null;
    /** @type {number[]} */
    this.values = [];
    this.sum = 0;
    this.greatest = 0;
    /** @type {number | null} */
    this.difference = null;
    this.changed = true;
    new ResizeObserver(() => this.#resize()).observe(place);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.plot?.destroy();
      this.plot = null;
      this.draw();
    });
  }

  /** Forgets every divergence. */
  clear() {
    this.values = [];
    this.sum = 0;
    this.greatest = 0;
    this.difference = null;
    this.changed = true;
  }

  /** @param {number} value in nats */
  push(value) {
    const clean = Math.abs(value) < FLOOR ? 0 : value;
    this.values.push(clean);
    this.sum += clean;
    this.greatest = Math.max(this.greatest, clean);
    this.changed = true;
  }

  /** @param {number} index the first token that differs, from 0 */
  mark(index) {
    this.difference = index;
    this.changed = true;
  }

  get mean() {
    return this.values.length ? this.sum / this.values.length : undefined;
  }

  /** Draws what came since the last time. */
  draw() {
    if (!this.changed && this.plot) return;
    this.changed = false;
    this.plot ??= this.#make();
    this.plot.setData(this.#data());
    const { mean, values } = this;
    const last = values.at(-1);
    showFigures(this.figures, {
      mean: mean === undefined ? undefined : short(mean),
      greatest: mean === undefined ? undefined : short(this.greatest),
      last: last === undefined ? undefined : short(last),
    });
    this.place.setAttribute('aria-label', this.#words());
  }

  #words() {
    if (this.mean === undefined) return 'No divergence measured yet';
    const parted = this.difference === null ? '' : ` The stories part at token ${this.difference + 1}.`;
    return (
      `Divergence at ${this.values.length} tokens: ${short(this.mean)} nats in the mean, ` +
      `${short(this.greatest)} at most.${parted}`
    );
  }

  #data() {
    let sum = 0;
    const tokens = this.values.map((_, index) => index + 1);
    const drawn = this.values.map((value) => (value > 0 ? Math.max(value, RANGE[0]) : null));
    const means = this.values.map((value, index) => {
      sum += value;
      return sum > 0 ? Math.max(sum / (index + 1), RANGE[0]) : null;
    });
    return [tokens, drawn, means];
  }

  #size() {
    return { width: this.place.clientWidth, height: 220 };
  }

  #resize() {
    if (this.plot && this.place.clientWidth) this.plot.setSize(this.#size());
  }

  #make() {
    const style = getComputedStyle(this.place);
    const colour = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: colour('--soft-ink'),
      grid: { stroke: colour('--line'), width: 1 },
      ticks: { stroke: colour('--line'), width: 1 },
      font: `12px ${style.fontFamily}`,
    };
    const { uPlot } = /** @type {any} */ (globalThis);
    return new uPlot(
      {
        ...this.#size(),
        cursor: { y: false, drag: { x: false, y: false } },
        scales: { x: { time: false }, y: { distr: 3, range: RANGE } },
        axes: [
          { ...axis, size: 34 },
          {
            ...axis,
            size: 56,
            filter: powers,
            grid: { ...axis.grid, filter: powers },
            ticks: { ...axis.ticks, filter: powers },
            values: (/** @type {any} */ _, /** @type {number[]} */ at) =>
              at.map((value) => (value === null ? '' : power(value))),
          },
        ],
        series: [
          { label: 'token' },
          {
            label: 'divergence',
            stroke: colour('--error'),
            width: 1,
            points: { show: true, size: 4, fill: colour('--error') },
            paths: () => null,
            value: value,
          },
          {
            label: 'mean so far',
            stroke: colour('--ink'),
            width: 2,
            dash: [6, 3],
            points: { show: false },
            value: value,
          },
        ],
        hooks: { draw: [(/** @type {any} */ plot) => this.#drawDifference(plot, style)] },
      },
      this.#data(),
      this.place,
    );
  }

  /**
   * @param {any} plot
   * @param {CSSStyleDeclaration} style
   */
  #drawDifference(plot, style) {
    if (this.difference === null) return;
    const { ctx, bbox } = plot;
    const x = Math.round(plot.valToPos(this.difference + 1, 'x', true));
    ctx.save();
    ctx.strokeStyle = style.getPropertyValue('--soft-ink');
    ctx.fillStyle = style.getPropertyValue('--soft-ink');
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([2 * devicePixelRatio, 3 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.font = `${12 * devicePixelRatio}px ${style.fontFamily}`;
    const isLeft = x < bbox.left + bbox.width / 2;
    ctx.textAlign = isLeft ? 'left' : 'right';
    ctx.fillText(
      'the stories part',
      x + (isLeft ? 6 : -6) * devicePixelRatio,
      bbox.top + 14 * devicePixelRatio,
    );
    ctx.restore();
  }
}

/**
 * Every hundredfold of a logarithmic axis; the plot asks for no line at the others.
 *
 * @param {unknown} _
 * @param {number[]} at
 */
function powers(_, at) {
  return at.map((value) => {
    const exponent = Math.log10(value);
    const isPower = Math.abs(exponent - Math.round(exponent)) < 1e-9;
    return isPower && Math.round(exponent) % 2 !== 0 ? value : null;
  });
}

/** @param {number} value a power of ten */
function power(value) {
  const exponent = Math.round(Math.log10(value));
  const digits = [...String(exponent)];
  return `10${digits.map((digit) => SUPERSCRIPT[digit]).join('')}`;
}

/** @type {Record<string, string>} */
const SUPERSCRIPT = {
  '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹',
};

/**
 * @param {unknown} _
 * @param {number | null} value
 */
function value(_, value) {
  return value === null ? '–' : short(value);
}
