/** Messages that stay on the page until they no longer hold. */

/**
 * Shows a message at the top of the page, read out at once; replaces the one with the same key.
 *
 * @param {string} key which message it is
 * @param {string | null} text null takes it away
 */
export function notice(key, text) {
  const id = `notice-${key}`;
  const old = document.getElementById(id);
  if (text === null) {
    old?.remove();
    return;
  }
  const element = old ?? document.createElement('p');
  element.id = id;
  element.className = 'notice';
  element.setAttribute('role', 'alert');
  if (!old) document.querySelector('main')?.prepend(element);
  element.textContent = text;
}
