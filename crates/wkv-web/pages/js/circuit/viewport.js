/** What part of a drawing is in view, and how large: both axes have a scale of their own. */

/** The largest a column and a row get, in pixels. */
const LARGEST = { column: 160, row: 46 };

/** Milliseconds that the view takes to get from one place to another. */
const TRAVEL = 260;

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Margins */

/** A view of a drawing of some width and height. */
export class Viewport {
  /** @param {() => void} changed is called when something is to be drawn anew */
  constructor(changed) {
    this.changed = changed;
    this.scaleX = 1;
    this.scaleY = 1;
    /** Where the drawing's origin is on the canvas. */
    this.originX = 0;
    this.originY = 0;
    this.width = 1;
    this.height = 1;
    this.drawing = { width: 1, height: 1 };
    /** @type {Margins} */
    this.margins = { left: 0, top: 0, right: 0, bottom: 0 };
    /** @type {{ from: number[], to: number[], start: number } | null} */
    this.travel = null;
  }

  /**
   * A place of the drawing on the canvas.
   *
   * @param {number} x
   */
  x(x) {
    return this.originX + x * this.scaleX;
  }

  /** @param {number} y */
  y(y) {
    return this.originY + y * this.scaleY;
  }

  /**
   * A place of the canvas in the drawing.
   *
   * @param {number} x
   * @param {number} y
   */
  toDrawing(x, y) {
    return [(x - this.originX) / this.scaleX, (y - this.originY) / this.scaleY];
  }

  /**
   * Moves so that a box of the drawing fills the view.
   *
   * @param {ArrayLike<number>} box left, top, right, bottom
   * @param {boolean} [at_once] without travelling there
   */
  fit(box, at_once = false) {
    const [left, top, right, bottom] = Array.from(box);
    const whole = right - left >= this.drawing.width * 0.999;
    const margins = whole ? this.margins : { ...this.margins, left: 24, right: 24 };
    const width = Math.max(this.width - margins.left - margins.right, 40);
    const height = Math.max(this.height - margins.top - margins.bottom, 40);
    const scaleX = Math.min(width / (right - left), LARGEST.column);
    const scaleY = Math.min(height / (bottom - top), LARGEST.row);
    const middleX = margins.left + width / 2;
    const middleY = margins.top + height / 2;
    this.go(
      [
        scaleX,
        scaleY,
        middleX - (scaleX * (left + right)) / 2,
        middleY - (scaleY * (top + bottom)) / 2,
      ],
      at_once,
    );
  }

  /**
   * The whole drawing.
   *
   * @param {boolean} [at_once]
   */
  fitAll(at_once = false) {
    this.fit([0, 0, this.drawing.width, this.drawing.height], at_once);
  }

  /**
   * Larger or smaller about a point of the canvas.
   *
   * @param {number} factor
   * @param {number} [x]
   * @param {number} [y]
   */
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    this.travel = null;
    const least =
      0.5 / Math.max(this.drawing.width / this.width, this.drawing.height / this.height);
    const scaleX = Math.min(
      Math.max(this.scaleX * factor, Math.min(least, this.scaleX)),
      LARGEST.column,
    );
    const scaleY = Math.min(
      Math.max(this.scaleY * factor, Math.min(least, this.scaleY)),
      LARGEST.row,
    );
    this.originX = x - (x - this.originX) * (scaleX / this.scaleX);
    this.originY = y - (y - this.originY) * (scaleY / this.scaleY);
    this.scaleX = scaleX;
    this.scaleY = scaleY;
    this.#keepInSight();
    this.changed();
  }

  /**
   * Moves what is seen, by so many pixels.
   *
   * @param {number} dx
   * @param {number} dy
   */
  pan(dx, dy) {
    this.travel = null;
    this.originX += dx;
    this.originY += dy;
    this.#keepInSight();
    this.changed();
  }

  /** Some of the drawing stays in view. */
  #keepInSight() {
    const margin = 60;
    const { width, height } = this.drawing;
    const between = (
      /** @type {number} */ v,
      /** @type {number} */ least,
      /** @type {number} */ most,
    ) => Math.min(Math.max(v, least), most);
    this.originX = between(this.originX, margin - width * this.scaleX, this.width - margin);
    this.originY = between(this.originY, margin - height * this.scaleY, this.height - margin);
  }

  /**
   * @param {number[]} to scales and origin
   *
   * @param {boolean} at_once
   */
  go(to, at_once) {
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (at_once || still) {
      this.travel = null;
      [this.scaleX, this.scaleY, this.originX, this.originY] = to;
    } else {
      const from = [this.scaleX, this.scaleY, this.originX, this.originY];
      this.travel = { from, to, start: performance.now() };
    }
    this.changed();
  }

  /**
   * Goes on with a travel; true while it lasts.
   *
   * @param {number} now
   */
  advance(now) {
    if (!this.travel) return false;
    const { from, to, start } = this.travel;
    const share = Math.min(Math.max((now - start) / TRAVEL, 0), 1);
    const eased = 1 - (1 - share) ** 3;
    // Scales change by equal factors, so that the speed looks even; the origin follows the scale.
    const mix = (/** @type {number} */ axis) => {
      const scale = from[axis] * (to[axis] / from[axis]) ** eased;
      const grown =
        to[axis] === from[axis] ? eased : (scale - from[axis]) / (to[axis] - from[axis]);
      return [scale, from[axis + 2] + (to[axis + 2] - from[axis + 2]) * grown];
    };
    [this.scaleX, this.originX] = mix(0);
    [this.scaleY, this.originY] = mix(1);
    if (share === 1) this.travel = null;
    return this.travel !== null;
  }
}
