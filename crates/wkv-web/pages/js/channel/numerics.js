/**
 * The circuit's arithmetic in plain JavaScript, written from the description of the numerics and
 * from nothing else: it shares no line with the Rust code, so that two mistakes would have to be
 * the same to go unseen.
 *
 * Every number is a whole one below 2^53, so that doubles hold it exactly.
 */

/** Where 16 bits end. */
export const LEAST = -32768;
export const GREATEST = 32767;

/** The value 1 as an unsigned number with 16 bits after the point. */
const ONE_Q16 = 65536;

/**
 * One point of the numerics: what a spec's text says.
 *
 * @typedef {object} Spec
 * @property {number} fraction bits after the point, from 2 to 14 of the 16
 * @property {number} entries steps of the table of 2^-x, a power of two from 4 to 256
 * @property {boolean} interpolate whether 2^-x is interpolated between entries
 * @property {'restoring' | 'newton' | 'exact'} division
 * @property {boolean} guard whether one unit is added to the denominator
 */

/**
 * The registers and sums whose values are clamped.
 *
 * @typedef {'ww' | 'num' | 'den' | 'out' | 'ww2' | 'aa' | 'bb'} Register
 */

/** @type {readonly Register[]} */
export const REGISTERS = ['ww', 'ww2', 'num', 'den', 'out', 'aa', 'bb'];

/**
 * The text that names a spec, in its shortest form, as the command line takes it.
 *
 * @param {Spec} spec
 */
export function specText({ fraction, entries, interpolate, division, guard }) {
  return [
    `classic:q${16 - fraction}.${fraction}`,
    entries === 32 ? '' : `:lut${entries}`,
    interpolate ? '' : ':nointerp',
    division === 'restoring' ? '' : `:div=${division}`,
    guard ? '' : ':noguard',
  ].join('');
}

/**
 * The spec that a text names.
 *
 * @param {string} text
 * @returns {Spec | undefined} undefined if it names none
 */
export function parseSpec(text) {
  const [family, format, ...options] = text.split(':');
  const bits = /^q(\d{1,2})\.(\d{1,2})$/.exec(format ?? '');
  const fraction = Number(bits?.[2]);
  const written = `q${16 - fraction}.${fraction}` === format;
  if (family !== 'classic' || !written || fraction < 2 || fraction > 14) return undefined;
  /** @type {Spec} */
  const spec = { fraction, entries: 32, interpolate: true, division: 'restoring', guard: true };
  const set = new Set();
  for (const option of options) {
    const field = setOption(spec, option);
    if (!field || set.has(field)) return undefined;
    set.add(field);
  }
  return spec;
}

/**
 * @param {Spec} spec
 * @param {string} option
 * @returns {keyof Spec | undefined} the field that it sets
 */
function setOption(spec, option) {
  const entries = [4, 8, 16, 32, 64, 128, 256].find((count) => option === `lut${count}`);
  if (entries) {
    spec.entries = entries;
    return 'entries';
  }
  if (option === 'nointerp') {
    spec.interpolate = false;
    return 'interpolate';
  }
  if (option === 'noguard') {
    spec.guard = false;
    return 'guard';
  }
  for (const division of /** @type {const} */ (['restoring', 'newton', 'exact'])) {
    if (option !== `div=${division}`) continue;
    spec.division = division;
    return 'division';
  }
  return undefined;
}

/**
 * The raw integer nearest to a real number, halves upward, clamped to 16 bits.
 *
 * @param {number} real
 * @param {number} fraction bits after the point
 */
export function quantise(real, fraction) {
  const scaled = real * 2 ** fraction;
  const floor = Math.floor(scaled);
  return clamp(floor + (scaled - floor >= 0.5 ? 1 : 0));
}

/** @param {number} x */
function clamp(x) {
  return Math.min(GREATEST, Math.max(LEAST, x));
}

/**
 * 2^-x from a table: a function of a raw `x >= 0` with 16 bits after the point in its result.
 *
 * @param {Spec} spec
 * @returns {(x: number) => number}
 */
export function exp2neg({ fraction, entries, interpolate }) {
  const table = Array.from({ length: entries + 1 }, (_, i) =>
    Math.round(ONE_Q16 * 2 ** (-i / entries)),
  );
  const low = fraction - Math.log2(entries);
  return (x) => {
    const whole = Math.floor(x / 2 ** fraction);
    if (whole >= 16) return 0;
    const entry = Math.floor(x / 2 ** low) % entries;
    let y = table[entry];
    if (interpolate && low > 0) {
      const drop = table[entry] - table[entry + 1];
      y -= Math.floor((drop * (x % 2 ** low)) / 2 ** low);
    }
    return Math.floor(y / 2 ** whole);
  };
}

/**
 * A signed raw number times a factor with 16 bits after the point, rounded down.
 *
 * @param {number} a
 * @param {number} factor from 0 to 65536
 */
function multiply(a, factor) {
  return Math.floor((a * factor) / ONE_Q16);
}

/** @type {Record<Spec['division'], (n: number, d: number, fraction: number) => number>} */
export const DIVIDERS = {
  /** Toward zero, as a divider that subtracts and restores. */
  restoring: (n, d, fraction) => Math.sign(n) * Math.floor((Math.abs(n) * 2 ** fraction) / d) + 0,
  newton: (n, d, fraction) => Math.sign(n) * newtonQuotient(Math.abs(n), d, fraction) + 0,
  /** To nearest, halves upward. */
  exact: (n, d, fraction) => Math.floor((2 * n * 2 ** fraction + d) / (2 * d)),
};

/**
 * `floor(n * 2^fraction / d)` by a reciprocal: a seed, one step of Newton and Raphson, a product,
 * and the remainder that says whether the quotient is one short.
 *
 * @param {number} n from 0 to 32768
 * @param {number} d from 1 to 32768
 * @param {number} fraction
 */
function newtonQuotient(n, d, fraction) {
  const shift = Math.clz32(d) - 16;
  const mantissa = d * 2 ** shift; // from 2^15, as a fraction of 2^16
  const interval = Math.floor(mantissa / 2 ** 8); // its 8 high bits
  const seed = Math.round(2 ** 20 / (2 * interval + 1)); // 1 / middle, 11 bits after the point
  const product = mantissa * seed; // close to 1, 27 bits after the point
  const step = Math.floor((2 ** 28 - 1 - product) / 2 ** 8); // 2 - product, 19 bits
  const reciprocal = Math.floor((seed * step) / 2 ** 14); // 16 bits after the point
  const quotient = Math.floor((n * reciprocal * 2 ** (fraction + shift)) / 2 ** 32);
  const remainder = n * 2 ** fraction - quotient * d;
  return quotient + (remainder >= d ? 1 : 0);
}

/**
 * The four exponentials of a step: `e1` and `e2` scale the state and the value in the output, `f1`
 * and `f2` in the next state.
 *
 * @typedef {'e1' | 'e2' | 'f1' | 'f2'} Exponential
 */

/** @type {readonly Exponential[]} */
export const EXPONENTIALS = ['e1', 'e2', 'f1', 'f2'];

/**
 * A count of 0 for each name.
 *
 * @template {string} N
 * @param {readonly N[]} names
 */
export function noCounts(names) {
  return /** @type {Record<N, number>} */ (Object.fromEntries(names.map((name) => [name, 0])));
}

/** One channel in the circuit's arithmetic. */
export class Channel {
  /**
   * @param {Spec} spec
   * @param {number} u raw bonus of the present token
   * @param {number} w raw decay, at most 0
   */
  constructor(spec, u, w) {
    this.spec = spec;
    this.u = u;
    this.w = w;
    this.exp2neg = exp2neg(spec);
    this.divide = DIVIDERS[spec.division];
    this.aa = 0;
    this.bb = 0;
    this.pp = LEAST;
    /** How often each register did not fit and was clamped. */
    this.saturations = noCounts(REGISTERS);
    /** How often each exponential became 0. */
    this.underflows = noCounts(EXPONENTIALS);
  }

  /**
   * Takes one token and returns the raw output.
   *
   * @param {number} k raw key
   * @param {number} v raw value
   */
  step(k, v) {
    const { fraction, guard } = this.spec;
    const ww = this.fit('ww', this.u + k);
    const p = Math.max(this.pp, ww);
    const e1 = this.power('e1', p - this.pp);
    const e2 = this.power('e2', p - ww);
    const num = this.fit('num', multiply(this.aa, e1) + multiply(v, e2));
    const weight = Math.floor(e2 / 2 ** (16 - fraction));
    const den = this.fit('den', multiply(this.bb, e1) + weight) + (guard ? 1 : 0);
    const out = this.fit('out', this.quotient(num, den));
    this.advance(k, v);
    return out;
  }

  /**
   * By 0, which only a stream whose decay is positive gets to, every bit of the quotient is one.
   *
   * @param {number} n
   * @param {number} d
   */
  quotient(n, d) {
    if (d === 0) return n < 0 ? LEAST - 1 : GREATEST + 1;
    return this.divide(n, d, this.spec.fraction);
  }

  /**
   * @param {number} k
   * @param {number} v
   */
  advance(k, v) {
    const ww2 = this.fit('ww2', this.pp + this.w);
    const p2 = Math.max(ww2, k);
    const f1 = this.power('f1', p2 - ww2);
    const f2 = this.power('f2', p2 - k);
    const weight = Math.floor(f2 / 2 ** (16 - this.spec.fraction));
    this.aa = this.fit('aa', multiply(this.aa, f1) + multiply(v, f2));
    this.bb = this.fit('bb', multiply(this.bb, f1) + weight);
    this.pp = p2;
  }

  /**
   * 2^-x; one that became 0 is counted.
   *
   * @param {Exponential} name
   * @param {number} x
   */
  power(name, x) {
    const y = this.exp2neg(x);
    if (y === 0) this.underflows[name] += 1;
    return y;
  }

  /**
   * Clamps to 16 bits; one that did not fit is counted.
   *
   * @param {Register} register
   * @param {number} x
   */
  fit(register, x) {
    const fitted = clamp(x);
    if (fitted !== x) this.saturations[register] += 1;
    return fitted;
  }
}
