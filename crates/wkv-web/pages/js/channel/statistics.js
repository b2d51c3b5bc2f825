/** The error of a run, in numbers and as a curve that stays small however long the run is. */

/** The token at which runs are compared. */
export const MARK = 256;

/** Points of the curve for each doubling of the run, past the mark. */
const POINTS_PER_DOUBLING = 64;

/** RMS and maximum of an error so far. */
export class ErrorStatistics {
  count = 0;
  sumOfSquares = 0;
  greatest = 0;
  /** RMS of the tokens up to the mark; null before it. @type {number | null} */
  rmsAtMark = null;

  /** @param {number} error */
  record(error) {
    this.count += 1;
    this.sumOfSquares += error * error;
    this.greatest = Math.max(this.greatest, Math.abs(error));
    if (this.count === MARK) this.rmsAtMark = this.rms;
  }

  /** 0 before the first token. */
  get rms() {
    return this.count === 0 ? 0 : Math.sqrt(this.sumOfSquares / this.count);
  }
}

/**
 * The error along a run: a point for every token up to the mark, then points of ever more tokens,
 * so many for each doubling.
 */
export class ErrorCurve {
  statistics = new ErrorStatistics();
  /** The last token of each point, from 1. @type {number[]} */
  tokens = [];
  /** The greatest error within each point. @type {number[]} */
  greatest = [];
  /** RMS of the whole run up to each point. @type {number[]} */
  rms = [];
  #point = -1;

  /** @param {number} error */
  record(error) {
    this.statistics.record(error);
    const { count, rms } = this.statistics;
    const past = Math.floor(POINTS_PER_DOUBLING * Math.log2(count / MARK));
    const point = count <= MARK ? count : MARK + 1 + past;
    const last = this.tokens.length - (point === this.#point ? 1 : 0);
    this.greatest[last] = Math.max(Math.abs(error), this.greatest[last] ?? 0);
    this.tokens[last] = count;
    this.rms[last] = rms;
    this.#point = point;
  }
}
