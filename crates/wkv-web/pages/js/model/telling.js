/** One story, or two beside each other, told token by token in the worker. */

import { textStream } from './tokenizer.js';

/** @import { TextCode } from './tokenizer.js' */
/** @import { Answer, End, Figures, Step, Telling } from './messages.js' */
/** @typedef {typeof import('../../wasm/model.js')} Wasm */

/** Tokens of the prompt that are read before the worker listens again. */
const PIECE = 16;

/** A story with its clock. */
class Voice {
  /**
   * @param {Wasm} wasm
   * @param {import('../../wasm/model.js').Model} model
   * @param {TextCode} code
   * @param {import('../../wasm/model.js').Numerics} numerics
   * @param {Telling['options']} options
   */
  constructor(wasm, model, code, numerics, { tokens, temperature, topP, seed }) {
    this.model = model;
    this.story = new wasm.Story(model, numerics, tokens, temperature, topP, BigInt(seed));
    this.stream = textStream(code);
    this.milliseconds = 0;
    this.tokens = 0;
    this.over = false;
  }

  /** @returns {Step | null} null where the story was over before. */
  step() {
    if (this.over) return null;
    const started = performance.now();
    const token = this.story.next(this.model) ?? null;
    this.milliseconds += performance.now() - started;
    if (token === null) {
      this.over = true;
      return { token, text: this.stream.finish() };
    }
    this.tokens += 1;
    return { token, text: this.stream.push(token) };
  }

  /** @returns {Figures} */
  figures() {
    return {
      tokens: this.tokens,
      seconds: this.milliseconds / 1000,
      rep4: this.story.rep_4,
      distinct2: this.story.distinct_2,
    };
  }

  /** @returns {End['why']} */
  why() {
    if (!this.over) return 'stopped';
    return this.story.ended_by_model ? 'text' : 'length';
  }
}

/**
 * Tells a story, or two from one seed; with two, the second arithmetic also reads the first story
 * and predicts each of its tokens.
 *
 * @param {Wasm} wasm
 * @param {import('../../wasm/model.js').Model} model
 * @param {TextCode} code
 * @param {Telling} telling
 * @param {(answer: Answer) => void} say
 * @param {() => Promise<boolean>} goesOn lets requests in; false if one of them is to stop
 * @throws {Error | string} what is wrong with the request
 */
export async function tell(wasm, model, code, telling, say, goesOn) {
  const { prompt, options } = telling;
  const missing = code.missing(prompt);
  if (missing.length > 0) {
    throw new Error(`The tokenizer has no token for ${missing.join(' ')}`);
  }
  const tokens = Uint32Array.from(code.encode(prompt));
  const voices = [];
  const numerics = [];
  let reader = null;
  try {
    for (const name of telling.numerics) numerics.push(new wasm.Numerics(name));
    for (const one of numerics) voices.push(new Voice(wasm, model, code, one, options));
    if (numerics.length > 1) reader = new wasm.Reader(model, numerics[1]);
    let going = true;
    for (let done = 0; going && done < tokens.length; done += PIECE) {
      say({ kind: 'prompt', done, total: tokens.length });
      const piece = tokens.subarray(done, done + PIECE);
      for (const voice of voices) voice.story.read(model, piece);
      reader?.read(model, piece);
      going = await goesOn();
    }
    while (going && voices.some((voice) => !voice.over)) {
      const steps = voices.map((voice) => voice.step());
      const told = steps[0] !== null && steps[0].token !== null;
      say({
        kind: 'steps',
        steps,
        seconds: voices.map((voice) => voice.milliseconds / 1000),
        divergence: reader && told ? reader.follow(model, voices[0].story) : null,
      });
      going = await goesOn();
    }
    say({
      kind: 'told',
      why: voices.map((voice) => voice.why()),
      figures: voices.map((voice) => voice.figures()),
    });
  } finally {
    for (const voice of voices) voice.story.free();
    for (const one of numerics) one.free();
    reader?.free();
  }
}
