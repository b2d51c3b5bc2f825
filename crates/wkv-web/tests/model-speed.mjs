/**
 * How fast the pages' code tells stories, in node: tokens a second of processor time.
 *
 *   node crates/wkv-web/tests/model-speed.mjs FOLDER ...    of models, after scripts/build-web
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { bytePairCode } from '../pages/js/model/tokenizer.js';
import init, { Model, Numerics, Story } from '../pages/wasm/model.js';

const ROUNDS = 3;
const TOKENS = 100;
const PROMPT = 'Once upon a time there was a cat. '.repeat(12);

/** Processor time of this process so far, in seconds. */
const time = () => process.cpuUsage().user / 1e6;

/**
 * Tokens a second of a prompt and of the story after it, the best of all rounds.
 *
 * @param {Model} model
 * @param {Numerics} numerics
 * @param {Uint32Array} prompt
 */
function measure(model, numerics, prompt) {
  let best = { prompt: 0, story: 0 };
  for (let round = 0; round < ROUNDS; round += 1) {
    const story = new Story(model, numerics, TOKENS, 0.8, 0.9, 1n);
    const started = time();
    // In such pieces as the page reads it.
    for (let at = 0; at < prompt.length; at += 16) story.read(model, prompt.subarray(at, at + 16));
    const read = time();
    let tokens = 0;
    while (story.next(model) !== undefined) tokens += 1;
    const told = time();
    best = {
      prompt: Math.max(best.prompt, prompt.length / (read - started)),
      story: Math.max(best.story, tokens / (told - read)),
    };
    story.free();
  }
  return best;
}

const wasm = new URL('../pages/wasm/model_bg.wasm', import.meta.url);
await init({ module_or_path: await readFile(wasm) });
for (const folder of process.argv.slice(2)) {
  const weights = await readFile(join(folder, 'model.safetensors'));
  const code = bytePairCode(JSON.parse(await readFile(join(folder, 'tokenizer.json'), 'utf8')));
  const prompt = Uint32Array.from(code.encode(PROMPT));
  for (const int8 of [false, true]) {
    const model = new Model(folder, weights, int8);
    for (const name of ['float', 'classic:q8.8', 'classic:q8.8@gates']) {
      const numerics = new Numerics(name);
      const rates = measure(model, numerics, prompt);
      const [story, read] = [rates.story, rates.prompt].map((rate) => rate.toFixed(0));
      const kind = int8 ? 'int8' : 'f32';
      console.log(`${folder} ${kind} ${name}: ${story} tokens/s, a prompt ${read} tokens/s`);
      numerics.free();
    }
    model.free();
  }
}
