/** What is selected, in words and numbers: an instance, a gate with its table, a bit of a bus. */

import { element, linkButton, tableRow, thousands } from './dom.js';
import { KIND } from './schematic.js';

/** @typedef {import('./schematic.js').Circuit} Circuit */
/** @typedef {import('./schematic.js').Place} Place */

/** Readers of a wire that are listed. */
const READERS = 24;

/**
 * Fills a panel with what there is to say of a place.
 *
 * @param {HTMLElement} panel
 * @param {Circuit} circuit
 * @param {Place} place
 * @param {Uint8Array} values of the wires
 * @param {(place: Place) => void} choose
 */
export function showDetails(panel, circuit, place, values, choose) {
  const contents =
    'instance' in place ? instanceDetails(circuit, place.instance, choose)
    : circuit.kinds[place.wire] === KIND.gate ? gateDetails(circuit, place.wire, values, choose)
    : pinDetails(circuit, place.wire, values, choose);
  panel.replaceChildren(...contents);
}

/**
 * @param {Circuit} circuit
 *
 * @param {number} instance
 * @param {(place: Place) => void} choose
 */
function instanceDetails(circuit, instance, choose) {
  const { gates, own, depth, first, last } = circuit.size(instance);
  const widths = circuit.widths[instance];
  const name = instance === 0 ? 'the whole circuit' : circuit.cells[instance];
  const onPath = circuit.path.filter((wire) => isInside(circuit, wire, instance)).length;
  const facts = [
    ['gates', thousands(gates)],
    ['of its own', thousands(own)],
    ['depth', String(depth)],
    ['levels', gates > 0 ? `${first} to ${last}` : 'none'],
    ['on the critical path', thousands(onPath)],
    ...(widths ? [['argument widths', widths.replaceAll(',', ', ')]] : []),
  ];
  const children = circuit.children[instance];
  return [
    heading(name, instance === 0 ? '' : 'cell'),
    factList(facts),
    ...(children.length > 0 ? [childTable(circuit, children, choose)] : []),
    ...(own > 0 ? [gateList(circuit, circuit.ownGates[instance], choose)] : []),
  ];
}

/**
 * @param {Circuit} circuit
 *
 * @param {number} wire
 * @param {number} instance
 */
function isInside(circuit, wire, instance) {
  if (circuit.kinds[wire] !== KIND.gate) return false;
  let at = circuit.origins[wire];
  while (at !== instance && at !== 0) at = circuit.parents[at];
  return at === instance;
}

/**
 * @param {Circuit} circuit
 *
 * @param {number[]} children
 * @param {(place: Place) => void} choose
 */
function childTable(circuit, children, choose) {
  const most = Math.max(...children.map((at) => circuit.sizes[5 * at]));
  const rows = children.map((at) => {
    const { gates, depth } = circuit.size(at);
    const bar = element('span', { class: 'bar', 'aria-hidden': 'true' });
    bar.style.width = `${(100 * gates) / most}%`;
    const cell = linkButton(circuit.cells[at], () => choose({ instance: at }));
    return tableRow(
      [cell, circuit.widths[at], thousands(gates), String(depth), bar],
      ['', 'quiet', 'number', 'number', 'bars'],
    );
  });
  const head = element('thead', {}, [
    element('tr', {}, [
      element('th', { scope: 'col' }, ['inside']),
      element('th', { scope: 'col' }, ['widths']),
      element('th', { scope: 'col', class: 'number' }, ['gates']),
      element('th', { scope: 'col', class: 'number' }, ['depth']),
      element('td', {}, []),
    ]),
  ]);
  return scrolled([element('table', {}, [head, element('tbody', {}, rows)])], 'What is inside');
}

/**
 * @param {Circuit} circuit
 *
 * @param {number[]} gates
 * @param {(place: Place) => void} choose
 */
function gateList(circuit, gates, choose) {
  /** @type {Map<string, number[]>} */
  const byName = new Map();
  for (const gate of gates) {
    const { name } = circuit.function(gate);
    byName.set(name, [...(byName.get(name) ?? []), gate]);
  }
  const parts = [...byName].map(([name, list]) =>
    element('li', {}, [
      `${list.length} × ${name}: `,
      ...list
        .slice(0, 6)
        .flatMap((gate) => [
          linkButton(
            `g${gates.indexOf(gate)}`,
            () => choose({ wire: gate }),
            `gate g${gates.indexOf(gate)}, ${name}`,
          ),
          ' ',
        ]),
      ...(list.length > 6 ? ['…'] : []),
    ]),
  );
  return element('ul', { class: 'plain' }, parts);
}

/**
 * @param {Circuit} circuit
 * @param {number} wire
 * @param {Uint8Array} values
 * @param {(place: Place) => void} choose
 */
function gateDetails(circuit, wire, values, choose) {
  const { name, formula, rows } = circuit.function(wire);
  const inputs = [...circuit.inputsOf(wire)];
  const letters = inputs.map((_, at) => 'abcdef'[at]);
  const now = inputs.reduce((row, input, at) => row | ((values[input] ?? 0) << at), 0);
  const live = values.length > 0;
  const head = element('tr', {}, [
    ...letters.map((letter) => element('th', { scope: 'col' }, [letter])),
    element('th', { scope: 'col', class: 'result' }, ['out']),
  ]);
  const body = [...rows].map((value, row) => {
    const isNow = live && row === now;
    const bits = letters.map((_, at) => element('td', {}, [String((row >> at) & 1)]));
    const attributes = isNow ? { class: 'now', 'aria-current': 'true' } : undefined;
    return element('tr', attributes, [...bits, element('td', { class: 'result' }, [value])]);
  });
  const table = element('table', { class: 'truth' }, [
    element('caption', {}, [`truth table${live ? '; the row of this step is marked' : ''}`]),
    element('thead', {}, [head]),
    element('tbody', {}, body),
  ]);
  const read = inputs.map((input, at) =>
    element('li', {}, [
      `${letters[at]} = `,
      bit(values, input),
      ' from ',
      link(circuit, input, choose),
    ]),
  );
  return [
    heading(name, 'gate'),
    element('p', { class: 'formula' }, [
      element('code', {}, [`out = ${formula}`]),
      ...(live ? [' = ', bit(values, wire)] : []),
    ]),
    factList([
      ['level', String(circuit.levels[wire])],
      ['on the critical path', circuit.onPath[wire] ? 'yes' : 'no'],
      ['built by', circuit.cells[circuit.origins[wire]]],
    ]),
    table,
    element('ul', { class: 'plain' }, read),
    readersList(circuit, wire, choose),
  ];
}

/**
 * @param {Circuit} circuit
 * @param {number} wire
 * @param {Uint8Array} values
 * @param {(place: Place) => void} choose
 */
function pinDetails(circuit, wire, values, choose) {
  const kind = circuit.kinds[wire] === KIND.register ? 'register bit' : 'input bit';
  return [
    heading(circuit.pinName(wire), kind),
    element('p', {}, ['value ', bit(values, wire)]),
    readersList(circuit, wire, choose),
  ];
}

/**
 * @param {Circuit} circuit
 *
 * @param {number} wire
 * @param {(place: Place) => void} choose
 */
function readersList(circuit, wire, choose) {
  const readers = circuit.readers[wire];
  const outputs = circuit.buses
    .filter(({ kind, wires }) => (kind === 'output' || kind === 'next') && wires.includes(wire))
    .map(
      ({ name, kind, wires }) => `${kind === 'next' ? 'next ' : ''}${name}[${wires.indexOf(wire)}]`,
    );
  const links = readers.slice(0, READERS).flatMap((reader) => [link(circuit, reader, choose), ' ']);
  return element('p', { class: 'readers' }, [
    element('span', { class: 'quiet' }, ['read by ']),
    ...(outputs.length > 0 ? [`${outputs.join(', ')} `] : []),
    ...links,
    ...(readers.length > READERS ? [`and ${readers.length - READERS} more`] : []),
    ...(readers.length + outputs.length === 0 ? ['nothing'] : []),
  ]);
}

/**
 * @param {Circuit} circuit
 *
 * @param {number} wire
 * @param {(place: Place) => void} choose
 */
function link(circuit, wire, choose) {
  const name = circuit.wireName(wire);
  return circuit.kinds[wire] === KIND.constant ?
      document.createTextNode(`constant ${name}`)
    : linkButton(name, () => choose({ wire }));
}

/**
 * @param {Uint8Array} values
 *
 * @param {number} wire
 */
function bit(values, wire) {
  const value = values[wire];
  return element('strong', { class: `bit bit-${value ?? 'none'}` }, [String(value ?? '–')]);
}

/**
 * @param {string} name
 *
 * @param {string} kind
 */
function heading(name, kind) {
  return element('h2', {}, [name, ' ', element('small', { class: 'quiet' }, [kind])]);
}

/** @param {string[][]} facts */
function factList(facts) {
  const pairs = facts.map(([term, value]) =>
    element('div', {}, [element('dt', {}, [term]), element('dd', { class: 'figure' }, [value])]),
  );
  return element('dl', { class: 'facts' }, pairs);
}

/**
 * @param {Node[]} contents
 *
 * @param {string} label
 */
function scrolled(contents, label) {
  return element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': label },
    contents,
  );
}
