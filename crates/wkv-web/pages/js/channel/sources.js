/** The stream that the settings name, with the constants of its channel. */

import { recordedChannel, recordedIndex } from './recorded.js';
import { CONSTANTS, specOf } from './settings.js';
import { list, random, sines } from './streams.js';

/** @typedef {import('./settings.js').Settings} Settings */

/**
 * @typedef {object} Source
 * @property {import('./streams.js').Stream} stream
 * @property {number} u the channel's own bonus, base 2
 * @property {number} w the channel's own decay, base 2
 * @property {string} hint what the reader should know of it
 */

/**
 * @param {Settings} settings
 * @param {import('./opened-file.js').OpenedFile | null} file the one that was opened
 * @returns {Promise<Source>}
 * @throws {Error} with words for the reader
 */
export async function sourceOf(settings, file) {
  const { seed, keys, values } = settings;
  switch (settings.stream) {
    case 'sines':
      return { stream: sines(seed, keys, values), ...CONSTANTS, hint: '' };
    case 'random':
      return { stream: random(seed, keys, values), ...CONSTANTS, hint: '' };
    case 'recorded':
      return recorded(settings);
    default:
      return opened(settings, file);
  }
}

/** @param {Settings} settings @returns {Promise<Source>} */
async function recorded({ block, channel }) {
  const { model, blocks, channels, tokens } = await recordedIndex();
  if (block >= blocks || channel >= channels) {
    throw new Error(`There is no channel ${channel} in block ${block}: the recording of ${model} ` +
      `has blocks 0 to ${blocks - 1} of channels 0 to ${channels - 1}.`);
  }
  const { k, v, u, w } = await recordedChannel(block, channel);
  const hint = `${tokens} tokens of a story, from ${model}: blocks 0 to ${blocks - 1}, ` +
    `channels 0 to ${channels - 1}. Decay and bonus are the channel's own until you move them.`;
  return { stream: list(k, v), u, w, hint };
}

/**
 * @param {Settings} settings
 * @param {import('./opened-file.js').OpenedFile | null} file
 * @returns {Source}
 */
function opened(settings, file) {
  if (!file) {
    const hint = 'Open a file to see it: JSON, as wkv run takes it.';
    return { stream: list([], []), ...CONSTANTS, hint };
  }
  const { streams, name } = file;
  const stream = streams[settings.block];
  if (!stream || settings.channel >= stream.k.length) {
    const { block, channel } = settings;
    const [what, count] = stream ? ['channels', stream.k.length] : ['lines', streams.length];
    throw new Error(`${name} has no channel ${channel} in line ${block}: it has ${what} 0 to ` +
      `${count - 1}.`);
  }
  const scale = 2 ** -specOf(settings).fraction;
  const [k, v] = [stream.k[settings.channel], stream.v[settings.channel]];
  const [u, w] = [stream.u[settings.channel] * scale, stream.w[settings.channel] * scale];
  return { stream: list(k, v, scale), u, w, hint: '' };
}
