/** The error over a whole run, on a log scale. */

import { MARK } from './statistics.js';

/** The scale of the error. */
const ERRORS = { least: 1e-6, greatest: 1 };

/** Tokens on the scale at first; it doubles when the run gets there. */
const TOKENS = 1024;

/** Decades that have a number on the scale. */
const DECADES = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1];

/** The plot: the greatest error of each point as a thin line, the run's RMS as a thick one. */
export class ErrorPlot {
  #element;
  #plot;
  #end = TOKENS;

  /**
   * @param {HTMLElement} element
   * @param {typeof import('uplot')} uPlot
   */
  constructor(element, uPlot) {
    this.#element = element;
    this.#plot = new uPlot(this.#options(uPlot), [[], [], []], element);
    new ResizeObserver(() => this.#plot.setSize(this.#size())).observe(element);
  }

  /** @param {import('./statistics.js').ErrorCurve} curve */
  draw({ tokens, greatest, rms }) {
    const last = tokens.at(-1) ?? 1;
    this.#end = TOKENS;
    while (this.#end < last) this.#end *= 2;
    this.#plot.setData([tokens, greatest.map(onScale), rms.map(onScale)]);
  }

  /** Draws again in the colours of the scheme. */
  recolour() {
    this.#plot.redraw(false);
  }

  #size() {
    return { width: this.#element.clientWidth, height: this.#element.clientHeight };
  }

  /**
   * @param {typeof import('uplot')} uPlot
   * @returns {import('uplot').Options}
   */
  #options(uPlot) {
    const colour = (/** @type {string} */ name) => () =>
      getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
    const font = '12px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace';
    const axis = {
      stroke: colour('soft-ink'),
      font,
      grid: { stroke: colour('line'), width: 1 },
      ticks: { show: false },
    };
    return {
      ...this.#size(),
      cursor: { show: false },
      legend: { show: false },
      padding: [8, 12, 0, 0],
      scales: {
        x: { time: false, distr: 3, log: 2, range: () => [1, this.#end] },
        y: { distr: 3, range: () => [ERRORS.least, ERRORS.greatest] },
      },
      axes: [
        { ...axis, size: 28, gap: 4, splits: (plot) => powers(plot), filter: (_, at) => at,
          values: (_, at) => at.map(short) },
        { ...axis, size: 46, gap: 6, splits: () => DECADES, filter: (_, at) => at,
          values: (_, at) => at.map(decade) },
      ],
      series: [
        {},
        { stroke: colour('error'), width: 1, points: { show: false } },
        { stroke: colour('ink'), width: 2.5, points: { show: false } },
      ],
      hooks: { draw: [(plot) => mark(plot, colour('ink')(), font)] },
    };
  }
}

/** Errors below the scale lie on its edge. @param {number} error */
function onScale(error) {
  return Math.max(ERRORS.least, Math.min(ERRORS.greatest, error));
}

/**
 * Powers of two that fit the width, four times apart or more.
 *
 * @param {import('uplot')} plot
 */
function powers(plot) {
  const end = plot.scales.x.max ?? TOKENS;
  const doublings = Math.log2(end);
  const apart = Math.max(1, Math.ceil(doublings / (plot.width / 56)));
  return Array.from({ length: Math.floor(doublings / apart) + 1 }, (_, i) => 2 ** (i * apart));
}

/** @param {number} error a power of ten */
function decade(error) {
  return error === 1 ? '1' : `1e−${-Math.round(Math.log10(error))}`;
}

/** @param {number} tokens */
function short(tokens) {
  if (tokens < 1024) return String(tokens);
  return tokens < 2 ** 20 ? `${tokens / 1024}k` : `${tokens / 2 ** 20}M`;
}

/**
 * The mark at which runs are compared.
 *
 * @param {import('uplot')} plot
 * @param {string} colour
 * @param {string} font
 */
function mark(plot, colour, font) {
  const { ctx: c, bbox } = plot;
  const ratio = globalThis.devicePixelRatio || 1;
  const x = plot.valToPos(MARK, 'x', true);
  c.save();
  c.strokeStyle = colour;
  c.fillStyle = colour;
  c.lineWidth = ratio;
  c.setLineDash([3 * ratio, 3 * ratio]);
  c.beginPath();
  c.moveTo(x, bbox.top);
  c.lineTo(x, bbox.top + bbox.height);
  c.stroke();
  c.font = font.replace('12px', `${12 * ratio}px`);
  c.textAlign = 'right';
  c.textBaseline = 'bottom';
  c.fillText(`token ${MARK}`, x - 5 * ratio, bbox.top + bbox.height - 5 * ratio);
  c.restore();
}
