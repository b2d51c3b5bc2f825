/** The picture of a run's last tokens: the two outputs over the values, and their difference. */

/** CSS pixels a token takes, where there is room. */
const TOKEN_WIDTH = 4;

/** The most and the fewest tokens in view. */
const IN_VIEW = { most: 256, fewest: 120 };

/** The share of the height that the error has. */
const ERROR_SHARE = 0.3;

/** Room for the numbers of the scale, and around the drawing. */
const MARGIN = { left: 46, right: 12, top: 10, bottom: 22, between: 16 };

/** The greatest factor that is chosen by itself. */
const GREATEST_FACTOR = 4096;

/** Draws runs on a canvas. */
export class Picture {
  #canvas;
  #context;
  #colours = colours();
  /** Half the height of the scale, in units of the values. */
  #range = 1;
  #factor = 1;

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.#canvas = canvas;
    const context = canvas.getContext('2d');
    if (!context) throw new Error('This browser has no canvas to draw on.');
    this.#context = context;
  }

  /** Reads the colours again, after the scheme has changed. */
  recolour() {
    this.#colours = colours();
  }

  /** The factor that the error was last drawn with. */
  get factor() {
    return this.#factor;
  }

  /**
   * @param {import('./run.js').Run} run
   * @param {string} factor of the error: a number, or `auto` for the greatest one that fits
   */
  draw(run, factor) {
    const { width, height } = this.#fit();
    const right = width - MARGIN.right;
    const room = right - MARGIN.left;
    const tokens = Math.round(room / TOKEN_WIDTH);
    const inView = Math.max(IN_VIEW.fewest, Math.min(IN_VIEW.most, tokens));
    const first = Math.max(0, run.step - inView);
    const x = (/** @type {number} */ token) =>
      MARGIN.left + (room * (token - first)) / Math.max(1, inView - 1);
    const drawn = height - MARGIN.top - MARGIN.bottom - MARGIN.between;
    const values = { top: MARGIN.top, height: drawn * (1 - ERROR_SHARE) };
    const error = { top: MARGIN.top + values.height + MARGIN.between, height: drawn * ERROR_SHARE };
    this.#scale(run, first, factor, error.height / values.height);
    this.#grid(run, { first, inView, x, right, values, error });
    const y = (/** @type {number} */ value) =>
      values.top + values.height / 2 - (value / this.#range) * (values.height / 2);
    this.#signals(run, first, x, y);
    this.#errors(run, first, x, error, values.height / 2 / this.#range);
  }

  /** Makes the canvas as sharp as the screen. */
  #fit() {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    const ratio = globalThis.devicePixelRatio || 1;
    const pixels = [Math.round(width * ratio), Math.round(height * ratio)];
    if (this.#canvas.width !== pixels[0]) this.#canvas.width = pixels[0];
    if (this.#canvas.height !== pixels[1]) this.#canvas.height = pixels[1];
    this.#context.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.#context.clearRect(0, 0, width, height);
    return { width, height };
  }

  /**
   * Chooses the scale of the values and the factor of the error.
   *
   * @param {import('./run.js').Run} run
   * @param {number} first
   * @param {string} factor
   * @param {number} share height of the error's scale, as a share of the values'
   */
  #scale(run, first, factor, share) {
    let [greatest, error] = [0, 0];
    for (let token = first; token < run.step; token += 1) {
      const [v, exact, rounded] = [run.v.at(token), run.exact.at(token), run.rounded.at(token)];
      greatest = Math.max(greatest, Math.abs(v), Math.abs(exact), Math.abs(rounded));
      error = Math.max(error, Math.abs(rounded - exact));
    }
    // It shrinks only where much room is left, so that it doesn't flicker.
    if (greatest > this.#range || greatest < this.#range / 3 || run.step < 2) {
      this.#range = roundUp(greatest);
    }
    const fits = (share * this.#range) / Math.max(error, 1e-12);
    const chosen = Math.min(GREATEST_FACTOR, 2 ** Math.floor(Math.log2(fits)));
    this.#factor = factor === 'auto' ? Math.max(1, chosen) : Number(factor);
  }

  /**
   * @param {import('./run.js').Run} run
   * @param {{ first: number, inView: number, x: (token: number) => number, right: number,
   *   values: Band, error: Band }} layout
   */
  #grid(run, { first, inView, x, right, values, error }) {
    const c = this.#context;
    c.font = this.#colours.font;
    c.fillStyle = this.#colours.soft;
    c.lineWidth = 1;
    c.textBaseline = 'middle';
    c.textAlign = 'right';
    for (const part of [-1, -0.5, 0, 0.5, 1]) {
      const y = Math.round(values.top + (values.height * (1 - part)) / 2) + 0.5;
      this.#line(MARGIN.left, y, right, y, part === 0 ? this.#colours.axis : this.#colours.line);
      c.fillText(plain(part * this.#range), MARGIN.left - 8, y);
    }
    const zero = Math.round(error.top + error.height / 2) + 0.5;
    this.#line(MARGIN.left, zero, right, zero, this.#colours.axis);
    c.fillStyle = this.#colours.error;
    c.fillText(`×${this.#factor}`, MARGIN.left - 8, zero);
    c.fillStyle = this.#colours.soft;
    c.textAlign = 'center';
    c.textBaseline = 'top';
    const bottom = error.top + error.height;
    const apart = inView > 160 ? 64 : 32;
    const start = Math.ceil(first / apart) * apart;
    for (let token = start; token < first + inView; token += apart) {
      if (token > 0) this.#line(x(token), values.top, x(token), bottom, this.#colours.line);
      if (x(token) < right - 10) c.fillText(String(token), x(token), bottom + 6);
    }
  }

  /**
   * @param {number} x0
   * @param {number} y0
   * @param {number} x1
   * @param {number} y1
   * @param {string} colour
   */
  #line(x0, y0, x1, y1, colour) {
    const c = this.#context;
    c.strokeStyle = colour;
    c.beginPath();
    c.moveTo(x0, y0);
    c.lineTo(x1, y1);
    c.stroke();
  }

  /**
   * @param {import('./run.js').Run} run
   * @param {number} first
   * @param {(token: number) => number} x
   * @param {(value: number) => number} y
   */
  #signals(run, first, x, y) {
    const c = this.#context;
    c.lineJoin = 'round';
    for (const { ring, colour, width, dash } of [
      { ring: run.v, colour: this.#colours.input, width: 1, dash: [] },
      { ring: run.exact, colour: this.#colours.float, width: 4.5, dash: [] },
      { ring: run.rounded, colour: this.#colours.circuit, width: 2, dash: [7, 5] },
    ]) {
      c.beginPath();
      for (let token = first; token < run.step; token += 1) {
        c.lineTo(x(token), y(ring.at(token)));
      }
      c.strokeStyle = colour;
      c.lineWidth = width;
      c.setLineDash(dash);
      // The dashes stay on their tokens while the picture moves.
      c.lineDashOffset = x(1) - x(0) > 0 ? (first * (x(1) - x(0))) % 12 : 0;
      c.stroke();
    }
    c.setLineDash([]);
    if (run.step === 0) return;
    const last = run.step - 1;
    this.#mark(x(last), y(run.exact.at(last)), this.#colours.float, true);
    this.#mark(x(last), y(run.rounded.at(last)), this.#colours.circuit, false);
  }

  /**
   * A full disc or an open square at the newest token.
   *
   * @param {number} x
   * @param {number} y
   * @param {string} colour
   * @param {boolean} full
   */
  #mark(x, y, colour, full) {
    const c = this.#context;
    c.beginPath();
    if (full) {
      c.arc(x, y, 4, 0, 2 * Math.PI);
      c.fillStyle = colour;
      c.fill();
    } else {
      c.rect(x - 5, y - 5, 10, 10);
      c.strokeStyle = colour;
      c.lineWidth = 2;
      c.stroke();
    }
  }

  /**
   * The error as bars from its zero; those that leave the band are cut, with a mark.
   *
   * @param {import('./run.js').Run} run
   * @param {number} first
   * @param {(token: number) => number} x
   * @param {Band} band
   * @param {number} unit pixels of 1, as the values have them
   */
  #errors(run, first, x, band, unit) {
    const c = this.#context;
    const zero = band.top + band.height / 2;
    const width = Math.max(1, (x(1) - x(0)) * 0.6);
    c.fillStyle = this.#colours.error;
    for (let token = first; token < run.step; token += 1) {
      const error = (run.rounded.at(token) - run.exact.at(token)) * this.#factor * unit;
      const cut = Math.abs(error) > band.height / 2;
      const height = cut ? (Math.sign(error) * band.height) / 2 : error;
      c.fillRect(x(token) - width / 2, zero - height, width, height);
      if (cut) c.fillRect(x(token) - width, zero - height - 1, 2 * width, 2);
    }
  }
}

/** @typedef {{ top: number, height: number }} Band */

function colours() {
  const style = getComputedStyle(document.documentElement);
  const named = (/** @type {string} */ name) => style.getPropertyValue(`--${name}`).trim();
  return {
    line: named('line'),
    axis: named('soft-ink'),
    soft: named('soft-ink'),
    input: named('input'),
    float: named('float'),
    circuit: named('circuit'),
    error: named('error'),
    font: `12px ${named('mono') || 'monospace'}`,
  };
}

/**
 * The next round number that is not below, with a little room.
 *
 * @param {number} x
 */
function roundUp(x) {
  const wanted = Math.max(x * 1.02, 2 ** -14);
  const ten = 10 ** Math.floor(Math.log10(wanted));
  return ten * ([1, 1.5, 2, 3, 4, 6, 8].find((step) => step * ten >= wanted) ?? 10);
}

/** @param {number} x */
function plain(x) {
  return String(Number(x.toPrecision(3))).replace('-', '−');
}
