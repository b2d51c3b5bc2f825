/** The page of the circuit: its numbers, walking the map, live values, its address. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { assertLooks, suite, wkv } from './harness.mjs';

/** @import { Page } from 'playwright-core' */

/** Shown steps that are compared with the integer model. */
const STEPS = 200;

/**
 * The page once it shows a circuit.
 *
 * @param {Page} page
 */
async function shown(page) {
  await page.waitForFunction(() => document.querySelectorAll('#buses tr').length > 0);
}

/**
 * What `wkv build` says of a unit.
 *
 * @param {string[]} options
 */
function build(...options) {
  return JSON.parse(run(['build', ...options, '--json', '-']));
}

/**
 * What `wkv` writes to its standard output.
 *
 * @param {string[]} options
 */
function run(options) {
  return execFileSync(wkv, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

/**
 * The cells of a table's rows.
 *
 * @param {Page} page
 * @param {string} body
 */
function rows(page, body) {
  return page
    .locator(`#${body} tr`)
    .evaluateAll((all) =>
      all.map((row) => [...row.children].map((cell) => cell.textContent?.trim() ?? '')),
    );
}

/**
 * A whole number that has spaces between thousands.
 *
 * @param {string} text
 */
const whole = (text) => Number(text.replace(/\s/g, ''));

/**
 * The part of the page's own state that the tests look into.
 *
 * @param {Page} page
 */
function inside(page) {
  return page.evaluate(() => {
    const { circuit, map, state } = /** @type {any} */ (globalThis).circuitPage;
    return { gates: circuit.gates, drawTime: map.drawTime, at: state.at, scaleX: map.view.scaleX };
  });
}

suite('the circuit, seen', (pages) => {
  test('says of every unit what wkv build says', async () => {
    const page = await pages.open('circuit.html');
    await shown(page);
    for (const [unit, spec] of [
      ['cell', 'classic:q8.8'],
      ['exp2', 'classic:q6.10:lut64'],
      ['multiplier', 'classic:q8.8'],
      ['divider', 'classic:q8.8:div=newton'],
      ['reciprocal', 'classic:q8.8'],
      ['serial=2', 'classic:q8.8'],
    ]) {
      await page.goto(`${pages.address}circuit.html?unit=${unit}&spec=${spec}`);
      await shown(page);
      const expected = build('--unit', unit, '--spec', spec);
      const summary = (await page.locator('#summary').textContent()) ?? '';
      const numbers = summary.replaceAll('\u202f', '');
      const { gates, registers, depth } = expected;
      assert.ok(numbers.includes(`: ${gates} gates, ${registers} flip-flop`), summary);
      assert.ok(numbers.endsWith(`depth ${depth}`), summary);
      const inventory = (await rows(page, 'inventory')).slice(0, -1);
      assert.deepEqual(
        inventory.map(([name, instances, gates]) => [name, Number(instances), whole(gates)]),
        expected.inventory.map((/** @type {any} */ line) => [
          line.unit,
          line.instances,
          line.gates,
        ]),
      );
      const onPath = (await rows(page, 'path')).reduce((sum, row) => sum + Number(row[1] ?? 0), 0);
      assert.equal(onPath, depth, 'the parts of the path make up the depth');
    }
    pages.assertQuiet(page);
  });

  test('is walked by the mouse, from the cell to a gate', async () => {
    const page = await pages.open('circuit.html', { reducedMotion: 'reduce' });
    await shown(page);
    const canvas = page.locator('#map');
    for (const path of [
      'wkv_cell',
      'wkv_cell/step',
      'wkv_cell/step/output',
      'wkv_cell/step/output/divide',
    ]) {
      // A place in the box that no box inside it covers: the left end of its header.
      const point = await page.evaluate((text) => {
        const { circuit, map } = /** @type {any} */ (globalThis).circuitPage;
        const [left, top, right] = map.painter.box(circuit.parse(text).instance);
        for (let x = left + 1; x < right; x += 1) {
          for (let y = top + 1; y < top + 40; y += 1) {
            const place = map.painter.at(x, y);
            if (place && circuit.print(place) === text) return { x, y };
          }
        }
        return null;
      }, path);
      assert.ok(point, `${path} can be clicked`);
      await canvas.click({ position: point });
      assert.equal((await inside(page)).at, path);
      assert.match(
        (await page.locator('#details h2').textContent()) ?? '',
        new RegExp(path.split('/').at(-1) ?? ''),
      );
    }
    // Then on by the table of what is inside, down to an instance with gates of its own.
    for (let depth = 0; depth < 9; depth++) {
      if ((await page.locator('#details .plain button').count()) > 0) break;
      await page.locator('#details tbody button').first().click();
    }
    await page.locator('#details .plain button').first().click();
    const { at } = await inside(page);
    assert.match(at, /divide\/.*g\d+$/);
    assert.equal(await page.locator('#details .truth .now').count(), 1);
    const box = await page.evaluate(() => {
      const { map } = /** @type {any} */ (globalThis).circuitPage;
      const [left, top, right, bottom] = map.painter.gate(map.painter.selected.wire);
      return { x: (left + right) / 2, y: (top + bottom) / 2 };
    });
    await canvas.click({ position: box });
    assert.equal((await inside(page)).at, at, 'the gate is where it is drawn');
    await canvas.press('Escape');
    assert.equal((await inside(page)).at, at.replace(/\/g\d+$/, ''));
    pages.assertQuiet(page);
  });

  test('is walked by the keyboard, in the tree, down to a gate', async () => {
    const page = await pages.open('circuit.html?unit=exp2', { reducedMotion: 'reduce' });
    await shown(page);
    const tree = page.locator('#tree');
    await tree.locator('[tabindex="0"]').focus();
    const labels = [];
    for (let moves = 0; moves < 60; moves++) {
      const label = await page.evaluate(() => {
        return document.activeElement?.querySelector('.row')?.textContent?.trim() ?? '';
      });
      labels.push(label);
      if (label.startsWith('gate')) break;
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ArrowRight');
    }
    assert.match(labels.at(-1) ?? '', /^gate g\d+.+level \d+$/);
    await page.keyboard.press('Enter');
    const { at } = await inside(page);
    assert.match(at, /\/g\d+$/);
    assert.equal(await tree.locator('[aria-selected="true"]').count(), 1);
    assert.equal(await tree.locator('[tabindex="0"]').count(), 1);
    assert.equal(await page.locator('#details .truth .now').count(), 1);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Enter');
    assert.equal((await inside(page)).at, at.replace(/\/g\d+$/, ''));
    pages.assertQuiet(page);
  });

  test('goes from the inventory to each instance of a unit in turn', async () => {
    const page = await pages.open('circuit.html', { reducedMotion: 'reduce' });
    await shown(page);
    const exp2 = page.locator('#inventory button', { hasText: 'exp2' });
    const places = [];
    for (let turn = 0; turn < 3; turn++) {
      await exp2.click();
      places.push((await inside(page)).at);
    }
    const both = ['wkv_cell/step/output/weigh/exp2neg', 'wkv_cell/step/update/weigh/exp2neg'];
    assert.deepEqual(places, [...both, both[0]]);
    pages.assertQuiet(page);
  });

  test('is moved and enlarged by keys, wheel, drag and buttons', async () => {
    const page = await pages.open('circuit.html', { reducedMotion: 'reduce' });
    await shown(page);
    const canvas = page.locator('#map');
    const whole = (await inside(page)).scaleX;
    await canvas.press('+');
    const larger = (await inside(page)).scaleX;
    assert.ok(larger > whole);
    await canvas.press('-');
    assert.ok(Math.abs((await inside(page)).scaleX - whole) < 1e-6);
    await canvas.hover({ position: { x: 300, y: 200 } });
    await page.mouse.wheel(0, -200);
    await page.waitForFunction(
      (least) => /** @type {any} */ (globalThis).circuitPage.map.view.scaleX > least,
      whole * 1.2,
    );
    const view = () =>
      page.evaluate(() => {
        const { originX, originY } = /** @type {any} */ (globalThis).circuitPage.map.view;
        return [Math.round(originX), Math.round(originY)];
      });
    const before = await view();
    const { x, y } = (await canvas.boundingBox()) ?? { x: 0, y: 0 };
    await page.mouse.move(x + 300, y + 200);
    await page.mouse.down();
    await page.mouse.move(x + 340, y + 230, { steps: 4 });
    await page.mouse.up();
    const after = await view();
    assert.ok(Math.abs(after[0] - before[0] - 40) <= 6 && Math.abs(after[1] - before[1] - 30) <= 6);
    assert.equal((await inside(page)).at, '', 'a drag is no click');
    await canvas.press('ArrowRight');
    assert.ok((await view())[0] < after[0]);
    await page.locator('#fit').click();
    assert.ok(Math.abs((await inside(page)).scaleX - whole) < 1e-6);
    pages.assertQuiet(page);
  });

  test(`shows on the buses what the integer model computes, ${STEPS} steps long`, async () => {
    const page = await pages.open('circuit.html?seed=5', { reducedMotion: 'reduce' });
    await shown(page);
    /** @type {Record<string, number>[]} */
    const steps = [];
    for (let step = 0; step < STEPS; step++) {
      steps.push(
        Object.fromEntries(
          await page
            .locator('#buses tr')
            .evaluateAll((all) =>
              all.map((row) => [
                /** @type {HTMLElement} */ (row).dataset.bus,
                Number(row.children[3].textContent?.replace('−', '-')),
              ]),
            ),
        ),
      );
      if (step + 1 < STEPS) await page.locator('#forward').click();
    }
    assert.equal(
      await page.locator('#agreement').textContent(),
      `The gates agree with the integer model: ${STEPS} of ${STEPS} steps.`,
    );
    const { k, v, u, w } = streams(steps);
    const folder = mkdtempSync(join(tmpdir(), 'wkv-circuit-'));
    const [given, result] = ['in.json', 'out.json'].map((name) => join(folder, name));
    const stream = { spec: 'classic:q8.8', k: [k], v: [v], u: [u[0]], w: [w[0]] };
    writeFileSync(given, JSON.stringify(stream));
    run(['run', '--spec', stream.spec, '--engine', 'fixed', '--in', given, '--out', result]);
    const expected = JSON.parse(readFileSync(result, 'utf8'));
    rmSync(folder, { recursive: true });
    assert.deepEqual(
      steps.map((step) => step['output out']),
      expected.out[0],
    );
    for (const name of ['aa', 'bb', 'pp']) {
      assert.equal(steps[STEPS - 1][`next ${name}`], expected[name][0]);
      for (let step = 1; step < STEPS; step++) {
        assert.equal(steps[step][`register ${name}`], steps[step - 1][`next ${name}`], name);
      }
    }
    pages.assertQuiet(page);
  });

  test('shows on the critical path the bits of the buses at its ends', async () => {
    const page = await pages.open('circuit.html?step=77');
    await shown(page);
    const ends = await page.evaluate(() => {
      const { circuit, map } = /** @type {any} */ (globalThis).circuitPage;
      const last = circuit.path[circuit.path.length - 1];
      const out = circuit.buses.find(
        (/** @type {any} */ bus) => bus.wires.includes(last) && bus.kind === 'output',
      );
      return { name: out.name, bit: out.wires.indexOf(last), value: map.painter.values[last] };
    });
    const bus = (await rows(page, 'buses')).find(
      ([name, kind]) => name === ends.name && kind === 'output',
    );
    assert.equal(Number(bus?.[5].at(-1 - ends.bit)), ends.value);
    const path = (await page.locator('#path .values').allTextContents()).join('').trim();
    assert.equal(path.length, build().depth);
    assert.equal(Number(path.at(-1)), ends.value, 'the list says the same');
    // Each gate on the path gives what its table says of its inputs.
    const wrong = await page.evaluate(() => {
      const { circuit, map } = /** @type {any} */ (globalThis).circuitPage;
      const { values } = map.painter;
      return [...circuit.path].filter((wire) => {
        if (circuit.kinds[wire] !== 4) return false;
        const row = [...circuit.inputsOf(wire)].reduce(
          (sum, input, at) => sum | (values[input] << at),
          0,
        );
        return Number(circuit.function(wire).rows[row]) !== values[wire];
      }).length;
    });
    assert.equal(wrong, 0);
  });

  test('every control changes what is shown, and the address keeps it', async () => {
    const page = await pages.open('circuit.html', { reducedMotion: 'reduce' });
    await shown(page);
    const state = async () => ({
      address: new URL(page.url()).search,
      buses: JSON.stringify(await rows(page, 'buses')),
      summary: await page.locator('#summary').textContent(),
    });
    /** @type {[string, () => Promise<unknown>][]} */
    const controls = [
      ['step', () => page.locator('#forward').click()],
      [
        'step by number',
        () =>
          page
            .locator('#step')
            .fill('30')
            .then(() => page.keyboard.press('Enter')),
      ],
      ['back', () => page.locator('#back').click()],
      [
        'seed',
        () =>
          page
            .locator('#seed')
            .fill('9')
            .then(() => page.keyboard.press('Enter')),
      ],
      ['preset', () => page.locator('#preset').selectOption('slow tail')],
      ['course', () => page.locator('#course').selectOption('independent')],
      ['held', () => page.locator('#course').selectOption('held')],
      [
        'k',
        () =>
          page
            .locator('#input-k')
            .fill('-3.5')
            .then(() => page.keyboard.press('Enter')),
      ],
      ['unit', () => page.locator('#unit').selectOption('step')],
      [
        'spec',
        () =>
          page
            .locator('#spec')
            .fill('classic:q6.10')
            .then(() => page.keyboard.press('Enter')),
      ],
      ['style', () => page.locator('#style').selectOption('carry')],
    ];
    for (const [name, act] of controls) {
      const before = await state();
      await act();
      const after = await state();
      assert.notEqual(after.address, before.address, `${name}: the address`);
      assert.ok(
        after.buses !== before.buses || after.summary !== before.summary,
        `${name}: the page`,
      );
    }
    const before = await state();
    await page.reload();
    await shown(page);
    assert.deepEqual(await state(), before);
    await page.locator('#show-path').uncheck();
    assert.match(page.url(), /path=0/);
    await page.locator('#run').click();
    await page.waitForFunction(
      (step) =>
        Number(/** @type {HTMLInputElement} */ (document.getElementById('step')).value) > step,
      Number(await page.locator('#step').inputValue()) + 1,
    );
    await page.locator('#run').click();
    assert.equal(await page.locator('#run').textContent(), 'Run');
    pages.assertQuiet(page);
  });

  test('a selection comes back from the address', async () => {
    const path = 'wkv_cell/step/update/weighted_sum.1/multiply';
    const page = await pages.open(`circuit.html?at=${path}`);
    await shown(page);
    assert.equal((await inside(page)).at, path);
    const crumbs = await page.locator('#crumbs li').allTextContents();
    assert.deepEqual(crumbs, ['cell', 'wkv_cell', 'step', 'update', 'weighted_sum', 'multiply']);
    assert.match(
      (await page.locator('#tree [aria-selected="true"] > .row').textContent()) ?? '',
      /^multiply16,17\d+ gates\d+ deep$/,
    );
    pages.assertQuiet(page);
  });

  test('nonsense in the address and in the fields is told, and the page works', async () => {
    for (const query of [
      'spec=classic:q99.1',
      'unit=engine',
      'unit=bank%3D4000',
      'style=steam',
      'at=nowhere/at/all',
      'step=-5',
      'step=1e9',
      'inputs=u:x',
      'inputs=u:1e99',
      'colour=red',
      'course=flood',
    ]) {
      const page = await pages.open(`circuit.html?${query}`);
      await shown(page);
      assert.ok((await page.locator('.notice').count()) > 0, query);
      assert.ok((await inside(page)).gates > 0, query);
      pages.assertQuiet(page);
      await page.context().close();
    }
    const page = await pages.open('circuit.html');
    await shown(page);
    await page.locator('#spec').fill('classic:q9.9');
    await page.keyboard.press('Enter');
    assert.match(
      (await page.locator('#notice-circuit').textContent()) ?? '',
      /unknown format "q9.9"/,
    );
    assert.equal(await page.locator('#spec').inputValue(), 'classic:q8.8');
    assert.equal((await inside(page)).gates, build().gates);
    pages.assertQuiet(page);
  });

  test('a browser without WebAssembly is told so', async () => {
    const { page } = await pages.blank('circuit.html');
    await page.addInitScript(() => Reflect.deleteProperty(globalThis, 'WebAssembly'));
    await page.goto(`${pages.address}circuit.html`);
    await page.waitForSelector('#notice-wasm');
    assert.match((await page.locator('#notice-wasm').textContent()) ?? '',
      /no WebAssembly\. .* the channel's page work/);
  });

  test('the whole cell is drawn within a frame', async () => {
    const page = await pages.open('circuit.html');
    await shown(page);
    // The best of several drawings at every scale: others may use the machine too.
    const times = await page.evaluate(() => {
      const { map } = /** @type {any} */ (globalThis).circuitPage;
      map.view.fitAll(true);
      return [1, 2, 4, 8].map((factor) => {
        map.view.fitAll(true);
        map.view.zoom(factor);
        let best = Infinity;
        for (let turn = 0; turn < 12; turn++) {
          const start = performance.now();
          map.painter.draw();
          // Drawing is done when a pixel can be read.
          map.context.getImageData(0, 0, 1, 1);
          best = Math.min(best, performance.now() - start);
        }
        return best;
      });
    });
    console.log(
      `drawing took ${times.map((time) => time.toFixed(1)).join(', ')} ms at 1, 2, 4 and 8 times`,
    );
    for (const time of times) assert.ok(time < 1000 / 60, `${time} ms`);
  });

  test('looks right at every width and in both schemes', async () => {
    await assertLooks(pages, 'circuit.html?step=12', 'circuit', shown);
    await assertLooks(pages, 'circuit.html?unit=compare&at=maximum_and_distance/g3', 'circuit-gate', shown);
  });
});

/**
 * The streams that went in.
 *
 * @param {Record<string, number>[]} steps
 */
function streams(steps) {
  const of = (/** @type {string} */ name) => steps.map((step) => step[`input ${name}`]);
  return { k: of('k'), v: of('v'), u: of('u'), w: of('w') };
}
