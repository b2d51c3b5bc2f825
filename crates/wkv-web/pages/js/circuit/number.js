/** Numbers on buses as text. */

/** @typedef {import('./schematic.js').Bus} Bus */

/**
 * The real number that a raw one stands for; null where it stands for none.
 *
 * @param {Bus} bus
 * @param {number} raw
 */
export function toReal(bus, raw) {
  return bus.point === null ? null : raw / 2 ** bus.point;
}

/**
 * A number on a bus in a few characters: real where the bus has a point.
 *
 * @param {Bus} bus
 * @param {number} raw
 */
export function formatNumber(bus, raw) {
  const real = toReal(bus, raw);
  return real === null ? String(raw) : formatReal(real);
}

/**
 * A real number to four places, with a true minus sign.
 *
 * @param {number} real
 */
export function formatReal(real) {
  const size = Math.abs(real);
  const digits =
    size >= 1000 ? 1
    : size >= 10 ? 3
    : 4;
  return real.toFixed(digits).replace('-', '−');
}

/**
 * A raw number, with a true minus sign.
 *
 * @param {number} raw
 */
export function formatRaw(raw) {
  return String(raw).replace('-', '−');
}

/**
 * A raw number's bits, high bit first.
 *
 * @param {Bus} bus
 * @param {number} raw
 */
export function formatBits(bus, raw) {
  const width = bus.wires.length;
  const number = BigInt.asUintN(width, BigInt(raw));
  return number.toString(2).padStart(width, '0');
}
