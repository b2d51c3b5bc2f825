/** The tables beside the map: units, the critical path part by part, the numbers on buses. */

import { element, linkButton, tableRow, thousands } from './dom.js';
import { formatBits, formatRaw, formatReal, toReal } from './number.js';

/** @typedef {import('./schematic.js').Circuit} Circuit */
/** @typedef {import('./schematic.js').Place} Place */
/** @typedef {import('../../wasm/circuits.js').InventoryLine} InventoryLine */

/**
 * The units of a circuit, their gates and depth. A unit's name leads to its instances in turn.
 *
 * @param {HTMLElement} body of a table
 * @param {Circuit} circuit
 * @param {InventoryLine[]} lines
 * @param {Uint8Array} unitLines for each instance the line of its unit
 * @param {(place: Place) => void} choose
 */
export function showInventory(body, circuit, lines, unitLines, choose) {
  const rows = lines.map((line, number) => {
    const swatch = element('span', { class: `swatch unit-${number % 7}`, 'aria-hidden': 'true' });
    const instances = unitInstances(circuit, unitLines, number);
    let turn = 0;
    const next = () => choose({ instance: instances[turn++ % instances.length] });
    const isUnit = line.instances > 0 && instances.length > 0;
    const unit = element('span', {}, isUnit ? [swatch, linkButton(line.unit, next)] : [line.unit]);
    const bar = element('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.width = `${(100 * line.gates) / Math.max(circuit.gates, 1)}%`;
    return tableRow(
      [
        unit,
        line.instances > 0 ? String(line.instances) : '',
        thousands(line.gates),
        String(line.depth),
        String(line.on_path),
        bar,
      ],
      ['', 'number', 'number', 'number', 'number', 'bars'],
    );
  });
  const whole = tableRow(
    ['all', '', thousands(circuit.gates), String(circuit.depth), String(circuit.depth), ''],
    ['', 'number', 'number', 'number', 'number', 'bars'],
  );
  whole.className = 'total';
  body.replaceChildren(...rows, whole);
}

/**
 * The outermost instances of a unit that hold gates.
 *
 * @param {Circuit} circuit
 * @param {Uint8Array} unitLines
 * @param {number} line
 */
function unitInstances({ parents, sizes }, unitLines, line) {
  return [...parents.keys()].filter(
    (at) => unitLines[at] === line && unitLines[parents[at]] !== line && sizes[5 * at] > 0,
  );
}

/**
 * The critical path, stretch by stretch: where it enters, and what it carries there in this step.
 *
 * @param {HTMLElement} body of a table
 * @param {Circuit} circuit
 * @param {Uint8Array} carried the values of the wires
 * @param {(place: Place) => void} choose
 */
export function showPath(body, circuit, carried, choose) {
  let level = 0;
  const rows = circuit.legs.flatMap(({ part, gates }) => {
    const [first, last] = [gates[0], gates[gates.length - 1]];
    const enters = [...circuit.inputsOf(first)].find(
      (input) => circuit.onPath[input] && circuit.levels[input] === circuit.levels[first] - 1,
    );
    const name = part === 0 ? 'the circuit itself' : circuit.cells[part];
    const from = level + 1;
    level += gates.length;
    const ones = gates.map((gate) => carried[gate] ?? '').join('');
    const head = tableRow(
      [
        linkButton(name, () => choose({ instance: part })),
        String(gates.length),
        `${from}–${level}`,
        enters === undefined ? '' : (
          linkButton(circuit.wireName(enters), () => choose({ wire: enters }))
        ),
        linkButton(circuit.wireName(last), () => choose({ wire: last })),
      ],
      ['', 'number', 'number', '', ''],
    );
    const values = element('td', { colspan: '5' }, [element('code', { class: 'bits' }, [ones])]);
    return [head, element('tr', { class: 'values' }, [values])];
  });
  body.replaceChildren(...rows);
}

/** What a bus is, for the reader. */
const KINDS = {
  input: 'input',
  register: 'register',
  output: 'output',
  next: 'next',
  signal: 'inside',
};

/** Where buses stand in the table. */
const ORDER = ['input', 'register', 'signal', 'output', 'next'];

/**
 * The numbers on buses in a step.
 *
 * @param {HTMLElement} body of a table
 * @param {Circuit} circuit
 * @param {Float64Array} numbers by bus
 * @param {(place: Place) => void} choose
 */
export function showBuses(body, circuit, numbers, choose) {
  const buses = [...circuit.buses].sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  const rows = buses.map((bus) => {
    const raw = numbers[bus.index];
    const known = raw !== undefined && !Number.isNaN(raw);
    const real = known ? toReal(bus, raw) : null;
    const name = bus.kind === 'next' ? `${bus.name}′` : bus.name;
    const place = placeOf(circuit, bus);
    const row = tableRow(
      [
        place ? linkButton(name, () => choose(place), `${name}, ${KINDS[bus.kind]}`) : name,
        KINDS[bus.kind],
        String(bus.wires.length),
        known ? formatRaw(raw) : '–',
        real === null ? '' : formatReal(real),
        element('code', { class: 'bits' }, [known ? formatBits(bus, raw) : 'some bits are gone']),
      ],
      ['', 'quiet', 'number', 'number figure', 'number figure', 'wires'],
    );
    row.dataset.bus = `${bus.kind} ${bus.name}`;
    return row;
  });
  body.replaceChildren(...rows);
}

/**
 * @param {Circuit} circuit
 *
 * @param {import('./schematic.js').Bus} bus
 * @returns {Place | null}
 */
function placeOf(circuit, bus) {
  if (bus.kind === 'signal') return { instance: bus.origin };
  const wire = bus.wires.find((bit) => bit >= 0);
  return wire === undefined ? null : { wire };
}
