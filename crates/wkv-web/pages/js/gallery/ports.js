/** The input ports as switches, one a bit. */

import { element } from '../circuit/dom.js';

/** @typedef {import('../circuit/schematic.js').Bus} Bus */

/**
 * A row for each input port: its number, and a switch for each bit, high bit first.
 *
 * @param {HTMLElement} place
 * @param {Bus[]} ports
 * @param {number[]} numbers by port
 * @param {(port: number, number: number) => void} changed
 */
export function showPorts(place, ports, numbers, changed) {
  place.replaceChildren(
    ...ports.map((port, at) => portRow(port, numbers[at], (number) => changed(at, number))),
  );
}

/**
 * @param {Bus} port
 *
 * @param {number} number
 * @param {(number: number) => void} changed
 */
function portRow(port, number, changed) {
  const width = port.wires.length;
  const field = /** @type {HTMLInputElement} */ (
    element('input', { type: 'number', min: '0', max: String(2 ** width - 1), step: '1' })
  );
  field.value = String(number);
  field.addEventListener('change', () => {
    const value = field.valueAsNumber;
    if (Number.isInteger(value) && value >= 0 && value < 2 ** width) changed(value);
    else field.value = String(number);
  });
  const bits = Array.from({ length: width }, (_, place) => width - 1 - place).map((bit) => {
    const on = Math.floor(number / 2 ** bit) % 2 === 1;
    const button = element(
      'button',
      { type: 'button', class: 'switch', 'aria-pressed': String(on) },
      [
        element('span', { 'aria-hidden': 'true' }, [on ? '1' : '0']),
        element('span', { class: 'visually-hidden' }, [`${port.name}[${bit}]`]),
      ],
    );
    button.dataset.bit = `${port.name}[${bit}]`;
    button.addEventListener('click', () => changed(on ? number - 2 ** bit : number + 2 ** bit));
    return button;
  });
  return element('div', { class: 'port' }, [
    element('label', {}, [port.name, field]),
    element(
      'div',
      { class: 'switches', role: 'group', 'aria-label': `bits of ${port.name}` },
      bits,
    ),
  ]);
}
