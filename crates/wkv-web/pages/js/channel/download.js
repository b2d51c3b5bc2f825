/** Files that the page gives to its reader. */

/**
 * Offers a text as a file.
 *
 * @param {string} name
 * @param {string} text
 * @param {string} type its media type
 */
export function save(name, text, type) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
