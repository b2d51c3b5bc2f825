/** Making elements in few words. */

/**
 * An element with attributes and contents.
 *
 * @param {string} name
 * @param {Record<string, string>} [attributes]
 * @param {(Node | string)[]} [contents]
 * @returns {HTMLElement}
 */
export function element(name, attributes = {}, contents = []) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...contents);
  return made;
}

/**
 * The element of this id, which the page has.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * A whole number with thin spaces between thousands.
 *
 * @param {number} number
 */
export function thousands(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/**
 * A row of a table: the first cell heads it.
 *
 * @param {(Node | string)[]} cells
 * @param {string[]} [classes] of each cell
 */
export function tableRow(cells, classes = []) {
  return element(
    'tr',
    {},
    cells.map((cell, at) =>
      element(
        at === 0 ? 'th' : 'td',
        { ...(at === 0 && { scope: 'row' }), class: classes[at] ?? '' },
        [cell],
      ),
    ),
  );
}

/**
 * A button that looks like a link.
 *
 * @param {string} text
 * @param {() => void} pressed
 * @param {string} [label]
 */
export function linkButton(text, pressed, label) {
  const button = element('button', { type: 'button', class: 'link' }, [text]);
  if (label) button.setAttribute('aria-label', label);
  button.addEventListener('click', pressed);
  return button;
}
