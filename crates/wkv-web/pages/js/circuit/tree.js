/**
 * The hierarchy as a tree of text: what the map shows, for the keyboard and for screen readers.
 *
 * An instance has the instances inside it as branches, then its own gates. Branches are made when
 * they are first opened.
 */

import { element } from './dom.js';

/** @typedef {import('./schematic.js').Circuit} Circuit */
/** @typedef {import('./schematic.js').Place} Place */

/** A tree view by the pattern of the ARIA authoring practices: one tab stop, arrows within. */
export class HierarchyTree {
  /**
   * @param {HTMLElement} root a list
   * @param {(place: Place) => void} chosen is called with what was clicked or entered
   */
  constructor(root, chosen) {
    this.root = root;
    this.chosen = chosen;
    /** @type {Circuit | null} */
    this.circuit = null;
    /** @type {Map<string, HTMLElement>} */
    this.items = new Map();
    /** @type {Map<HTMLElement, Place>} */
    this.places = new Map();
    root.addEventListener('click', (event) => this.#click(event));
    root.addEventListener('keydown', (event) => this.#key(event));
  }

  /** @param {Circuit} circuit */
  show(circuit) {
    this.circuit = circuit;
    this.items.clear();
    this.places.clear();
    this.root.replaceChildren(this.#item({ instance: 0 }, 1));
    // Open down to where there is something to choose.
    for (let at = 0; ;) {
      this.#open({ instance: at });
      if (circuit.children[at].length !== 1) break;
      at = circuit.children[at][0];
    }
  }

  /**
   * Marks a place, and opens what is around it.
   *
   * @param {Place} place
   */
  select(place) {
    const { circuit } = this;
    if (!circuit) return;
    const instance = 'instance' in place ? place.instance : circuit.origins[place.wire];
    this.#open({ instance: 0 });
    const around = circuit.around(instance);
    if ('instance' in place) around.pop();
    for (const at of around) this.#open({ instance: at });
    for (const item of this.root.querySelectorAll('[aria-selected="true"]')) {
      item.setAttribute('aria-selected', 'false');
    }
    const item = this.items.get(key(place));
    if (!item) return;
    item.setAttribute('aria-selected', 'true');
    this.#focusable(item);
    const row = /** @type {HTMLElement} */ (item.firstElementChild);
    const scroller = /** @type {HTMLElement} */ (this.root.parentElement);
    const offset = row.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    if (offset < 0 || offset > scroller.clientHeight - 30) {
      scroller.scrollTop += offset - scroller.clientHeight / 3;
    }
  }

  /**
   * @param {Place} place
   *
   * @param {number} level
   */
  #item(place, level) {
    const circuit = /** @type {Circuit} */ (this.circuit);
    const item = element('li', { role: 'treeitem', tabindex: '-1', 'aria-level': String(level) });
    item.setAttribute('aria-selected', 'false');
    if ('instance' in place) {
      const { gates, depth } = circuit.size(place.instance);
      const name = place.instance === 0 ? 'the whole circuit' : circuit.cells[place.instance];
      const widths = circuit.widths[place.instance];
      item.setAttribute('aria-expanded', 'false');
      item.append(
        element('span', { class: 'row' }, [
          element('span', { class: 'twist', 'aria-hidden': 'true' }),
          element('span', { class: 'cell' }, [name]),
          element('span', { class: 'quiet widths' }, [widths]),
          figure(gates, 'gates'),
          figure(depth, 'deep', 'quiet'),
        ]),
      );
    } else {
      const { name } = circuit.function(place.wire);
      const number = circuit.ownGates[circuit.origins[place.wire]].indexOf(place.wire);
      const level = circuit.levels[place.wire];
      item.append(
        element('span', { class: 'row gate' }, [
          element('span', { class: 'twist', 'aria-hidden': 'true' }),
          element('span', { class: 'cell' }, [`gate g${number}`]),
          element('span', { class: 'quiet widths' }, [name]),
          element('span', { class: 'figure quiet' }, [`level ${level}`]),
        ]),
      );
    }
    this.items.set(key(place), item);
    this.places.set(item, place);
    return item;
  }

  /** @param {Place} place */
  #open(place) {
    const { circuit } = this;
    const item = this.items.get(key(place));
    if (!circuit || !item || !('instance' in place)) return;
    item.setAttribute('aria-expanded', 'true');
    if (item.querySelector(':scope > ul')) return;
    const level = Number(item.getAttribute('aria-level')) + 1;
    const inside = [
      ...circuit.children[place.instance].map((instance) => this.#item({ instance }, level)),
      ...circuit.ownGates[place.instance].map((wire) => this.#item({ wire }, level)),
    ];
    item.append(element('ul', { role: 'group' }, inside));
  }

  /** @param {HTMLElement} item */
  #focusable(item) {
    this.root.querySelector('[tabindex="0"]')?.setAttribute('tabindex', '-1');
    item.setAttribute('tabindex', '0');
  }

  /** @param {Event} event */
  #click(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const item = /** @type {HTMLElement | null} */ (target.closest('[role="treeitem"]'));
    const place = item && this.places.get(item);
    if (!item || !place) return;
    if (target.classList.contains('twist') && 'instance' in place) {
      if (item.getAttribute('aria-expanded') === 'true')
        item.setAttribute('aria-expanded', 'false');
      else this.#open(place);
      return;
    }
    this.#open(place);
    this.chosen(place);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const item = /** @type {HTMLElement} */ (event.target);
    const place = this.places.get(item);
    if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
    const shown = [...this.root.querySelectorAll('[role="treeitem"]')].filter(
      (other) => /** @type {HTMLElement} */ (other).offsetParent !== null,
    );
    const at = shown.indexOf(item);
    const expanded = item.getAttribute('aria-expanded');
    const outer = item.parentElement?.closest('[role="treeitem"]');
    /** @type {Record<string, () => Element | null | undefined>} */
    const moves = {
      ArrowDown: () => shown[at + 1],
      ArrowUp: () => shown[at - 1],
      Home: () => shown[0],
      End: () => shown[shown.length - 1],
      ArrowRight: () => {
        if (expanded !== 'false') return expanded ? shown[at + 1] : null;
        this.#open(place);
        return null;
      },
      ArrowLeft: () => {
        if (expanded !== 'true') return outer;
        item.setAttribute('aria-expanded', 'false');
        return null;
      },
      Enter: () => (this.#open(place), this.chosen(place), null),
      ' ': () => (this.#open(place), this.chosen(place), null),
    };
    const move = moves[event.key];
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    const next = /** @type {HTMLElement | null | undefined} */ (move());
    if (!next) return;
    this.#focusable(next);
    next.focus();
  }
}

/**
 * A number, and for those who don't see its column what it counts.
 *
 * @param {number} number
 * @param {string} what
 * @param {string} [more]
 */
function figure(number, what, more = '') {
  const unit = element('span', { class: 'visually-hidden' }, [` ${what}`]);
  return element('span', { class: `figure ${more}` }, [String(number), unit]);
}

/** @param {Place} place */
function key(place) {
  return 'instance' in place ? `i${place.instance}` : `w${place.wire}`;
}
