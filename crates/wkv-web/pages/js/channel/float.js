/** The recurrence in double precision: what the circuit's arithmetic is measured against. */

/** One channel in double precision; exponents of base 2. */
export class FloatChannel {
  /**
   * @param {number} u bonus of the present token
   * @param {number} w decay, at most 0
   */
  constructor(u, w) {
    this.u = u;
    this.w = w;
    this.aa = 0;
    this.bb = 0;
    this.pp = -Infinity;
  }

  /**
   * Takes one token and returns the output.
   *
   * @param {number} k key
   * @param {number} v value
   */
  step(k, v) {
    const ww = this.u + k;
    const p = Math.max(this.pp, ww);
    const e1 = 2 ** (this.pp - p);
    const e2 = 2 ** (ww - p);
    const out = (e1 * this.aa + e2 * v) / (e1 * this.bb + e2);
    const ww2 = this.pp + this.w;
    const p2 = Math.max(ww2, k);
    const f1 = 2 ** (ww2 - p2);
    const f2 = 2 ** (k - p2);
    this.aa = f1 * this.aa + f2 * v;
    this.bb = f1 * this.bb + f2;
    this.pp = p2;
    return out;
  }
}
