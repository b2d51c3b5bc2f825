/** A file from the site or from the reader's disk, with progress. */

/**
 * The bytes of a file.
 *
 * @param {string | Blob} source its address, or itself
 * @param {AbortSignal} signal
 * @param {(done: number, total: number | null) => void} onProgress bytes so far, of how many
 * @returns {Promise<Blob>}
 * @throws {Error} with words for the reader; an `AbortError` if `signal` asked for it
 */
export async function download(source, signal, onProgress) {
  if (source instanceof Blob) return source;
  const response = await fetch(source, { signal }).catch((error) => {
    throw lost(source, error);
  });
  if (!response.ok || !response.body) {
    throw new Error(`${source}: not there: the server says ${response.status}`);
  }
  const total = length(response);
  const reader = response.body.getReader();
  const parts = [];
  let done = 0;
  for (;;) {
    const part = await reader.read().catch((error) => {
      throw lost(source, error);
    });
    if (part.done) break;
    parts.push(part.value);
    done += part.value.length;
    onProgress(done, total);
  }
  if (total !== null && done < total) throw lost(source, `${done} of ${total} bytes came`);
  return new Blob(parts);
}

/**
 * The number of bytes that a server promises; null if it sends them compressed or doesn't say.
 *
 * @param {Response} response
 */
function length(response) {
  const promised = Number(response.headers.get('content-length'));
  return promised > 0 && !response.headers.get('content-encoding') ? promised : null;
}

/**
 * @param {string} source
 * @param {any} error
 */
function lost(source, error) {
  if (error?.name === 'AbortError') return error;
  return new Error(`${source}: the download broke off: ${error?.message ?? error}. Try it again.`);
}
