/** Stream files on the channel's page, without a browser. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseSpec, specText } from '../pages/js/channel/numerics.js';
import { parseStreams, printResults, StreamResult } from '../pages/js/channel/stream-file.js';
import { streams } from './golden.mjs';

/**
 * Runs all channels.
 *
 * @param {import('../pages/js/channel/stream-file.js').FileStream} stream
 * @param {import('../pages/js/channel/numerics.js').Spec} spec
 * @param {() => import('../pages/js/channel/run.js').Way[]} [ways]
 */
function runStream(stream, spec, ways) {
  const result = new StreamResult(stream, spec, 'javascript', ways);
  for (let c = 0; c < stream.k.length; c += 1) result.runChannel();
  return result.json();
}

/** A stream of one token, and the spec that it is run in. */
function oneToken() {
  const [stream] = parseStreams('a.json', '{"k":[[1]],"v":[[2]],"u":[3],"w":[-4]}');
  const spec = parseSpec('classic:q8.8');
  assert(spec);
  return { stream, spec };
}

test('a golden file gives its own outputs and states', () => {
  for (const golden of streams()) {
    const [stream] = parseStreams('golden.json', JSON.stringify(golden));
    assert(stream.spec);
    assert.equal(specText(stream.spec), golden.spec);
    const result = runStream(stream, stream.spec);
    for (const name of /** @type {const} */ (['k', 'v', 'u', 'w', 'out', 'aa', 'bb', 'pp'])) {
      assert.deepEqual(result[name], golden[name], name);
    }
  }
});

test('lines of a .jsonl file are streams of their own', () => {
  const one = '{"k":[[1]],"v":[[2]],"u":[3],"w":[-4]}';
  const lines = [one, '', '{"k":[[5,6]],"v":[[7,8]],"u":[0],"w":[0]}'];
  const text = lines.join('\n');
  assert.deepEqual(parseStreams('a.jsonl', text).map(({ k }) => k[0].length), [1, 2]);
});

test('results are one line each, in the order of the command line', () => {
  const { stream, spec } = oneToken();
  assert.equal(printResults([runStream(stream, spec)]),
    '{"spec":"classic:q8.8","engine":"javascript","k":[[1]],"v":[[2]],"u":[3],"w":[-4],' +
    '"out":[[1]],"aa":[2],"bb":[256],"pp":[1],"saturations":{"ww":0,"ww2":1,"num":0,"den":0,' +
    '"out":0,"aa":0,"bb":0},"underflows":2,"underflows_by_exponential":{"e1":1,"e2":0,"f1":1,' +
    '"f2":0}}\n');
});

test('a way that differs stops the file', () => {
  const { stream, spec } = oneToken();
  const run = () => Int32Array.from([1, 2, 257, 1]);
  const ways = () => [{ name: 'the gates', channel: { run } }];
  assert.throws(() => runStream(stream, spec, ways),
    /Channel 0, token 0: 256 by JavaScript, 257 by the gates/);
});

/** @type {[string, string, RegExp][]} */
const REFUSED = [
  ['empty', ' \n', /a\.json is empty; expected \{"spec"/],
  ['malformed', '{"k": [[1', /a\.json: no JSON/],
  ['a list', '[1]', /no object/],
  ['no keys', '{"v":[[1]],"u":[0],"w":[0]}', /"k" is no list of lists/],
  ['no rows', '{"k":[1],"v":[[1]],"u":[0],"w":[0]}', /"k" in channel 0 is no list/],
  ['another spec', '{"spec":"float","k":[[1]],"v":[[1]],"u":[0],"w":[0]}', /its spec is "float"/],
  ['lengths of channels', '{"k":[[1]],"v":[[1]],"u":[0,1],"w":[0]}', /"u" has length 2, "k" .* 1/],
  ['lengths of tokens', '{"k":[[1,2]],"v":[[1]],"u":[0],"w":[0]}', /"v" in channel 0 has length 1/],
  ['out of range', '{"k":[[1]],"v":[[40000]],"u":[0],"w":[0]}',
    /"v" in channel 0, token 0 is 40000; expected a raw integer from -32768 to 32767/],
  ['no integer', '{"k":[[1.5]],"v":[[4]],"u":[0],"w":[0]}', /token 0 is 1\.5/],
  ['no number', '{"k":[[1]],"v":[[4]],"u":["x"],"w":[0]}', /"u" in channel 0 is "x"/],
  ['lists in lists', `{"k":[[${'['.repeat(50_000)}${']'.repeat(50_000)}]],"v":[[4]],"u":[0],"w":[0]}`,
    /^Error: a\.json: "k" in channel 0, token 0 is a list; expected/],
  ['too large for a double', '{"k":[[1e400]],"v":[[4]],"u":[0],"w":[0]}', /token 0 is Infinity/],
  ['a long spec', `{"spec":"${'x'.repeat(1000)}"}`, /its spec is "x{59}…; expected/],
  ['no channels', '{"k":[],"v":[],"u":[],"w":[]}', /no channels/],
  ['no tokens', '{"k":[[]],"v":[[]],"u":[0],"w":[0]}', /no tokens/],
];

for (const [what, text, message] of REFUSED) {
  test(`refused in words: ${what}`, () => {
    assert.throws(() => parseStreams('a.json', text), message);
  });
}

test('a line is told', () => {
  const text = '{"k":[[1]],"v":[[2]],"u":[3],"w":[-4]}\n{"k":[[1]]}\n';
  assert.throws(() => parseStreams('a.jsonl', text), /a\.jsonl, line 2: "u" is no list/);
});
