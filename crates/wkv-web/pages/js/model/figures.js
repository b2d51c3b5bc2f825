/** Named figures under a story or a plot. */

/**
 * Fills the places of a list of figures; those that are not told get a dash.
 *
 * @param {HTMLElement} list
 * @param {Record<string, string | undefined>} figures
 */
export function showFigures(list, figures) {
  for (const place of list.querySelectorAll('[data-figure]')) {
    const text = figures[/** @type {HTMLElement} */ (place).dataset.figure ?? ''] ?? '–';
    if (place.textContent !== text) place.textContent = text;
  }
}

/**
 * A small number, in three digits.
 *
 * @param {number} value
 */
export function short(value) {
  if (value === 0) return '0';
  return Math.abs(value) >= 0.001 ? value.toPrecision(3) : value.toExponential(2);
}
