/** The numbers that the reader puts on the input ports. */

import { element } from './dom.js';

/** @typedef {import('./schematic.js').Circuit} Circuit */
/** @typedef {import('./schematic.js').Bus} Bus */

/** Numbers on ports that nobody set: small ones of either sign, so that something moves. */
const USUAL = /** @type {Record<string, number>} */ ({
  k: 1,
  v: -0.75,
  aa: -1.5,
  bb: 2,
  pp: 0.5,
  x: 1.25,
  a: 3.5,
  b: -2.25,
  e: 0.7,
  n: -5.5,
  d: 1.5,
});

/**
 * The number on a port: as set, or a usual one.
 *
 * @param {Bus} bus
 * @param {Record<string, number>} set
 */
export function numberOn(bus, set) {
  return set[bus.name] ?? (bus.point === null ? 1 : (USUAL[bus.name] ?? 0));
}

/**
 * The raw number nearest to a number on a port that the port can carry.
 *
 * @param {Bus} bus
 * @param {number} number
 */
export function rawOn(bus, number) {
  const width = bus.wires.length;
  const least = bus.signed ? -(2 ** (width - 1)) : 0;
  const most = bus.signed ? 2 ** (width - 1) - 1 : 2 ** width - 1;
  return Math.min(Math.max(Math.floor(number * 2 ** (bus.point ?? 0) + 0.5), least), most);
}

/**
 * The ports that a stream leaves to the reader.
 *
 * @param {Circuit} circuit
 * @param {string} course
 */
export function heldPorts(circuit, course) {
  const ports = circuit.buses.filter(({ kind }) => kind === 'input');
  const k = ports.find(({ name }) => name === 'k');
  if (k && ports.some(({ name }) => name === 'valid')) {
    // Such a cell takes its constants by the ports of tokens.
    const names = course === 'held' ? ['k', 'v', 'u', 'w'] : ['u', 'w'];
    return names.map((name) => ({ ...k, name }));
  }
  return course === 'held' ? ports : ports.filter(({ name }) => name === 'u' || name === 'w');
}

/**
 * A field for each port that the stream leaves to the reader.
 *
 * @param {HTMLElement} place
 * @param {Circuit} circuit
 * @param {string} course
 * @param {Record<string, number>} set
 * @param {(name: string, number: number) => void} changed
 */
export function showInputs(place, circuit, course, set, changed) {
  const fields = heldPorts(circuit, course).map((bus) => {
    const input = /** @type {HTMLInputElement} */ (
      element('input', { type: 'number', step: 'any', id: `input-${bus.name}` })
    );
    input.value = String(numberOn(bus, set));
    input.addEventListener('change', () => {
      const number = input.valueAsNumber;
      if (Number.isFinite(number) && Math.abs(number) < 2 ** 32) changed(bus.name, number);
      else input.value = String(numberOn(bus, set));
    });
    return element('label', {}, [bus.name, input]);
  });
  place.replaceChildren(...fields);
}
