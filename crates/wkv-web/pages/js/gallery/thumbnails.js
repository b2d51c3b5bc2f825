/** Small pictures of circuits, to choose from. */

import { element } from '../circuit/dom.js';
import { Painter } from '../circuit/painter.js';
import { Viewport } from '../circuit/viewport.js';

/** @typedef {import('../circuit/schematic.js').Circuit} Circuit */

/** The size of a picture, in pixels. */
const SIZE = { width: 148, height: 84 };

/**
 * A button with the picture of a circuit, its name, and what to say of it.
 *
 * @param {Circuit} circuit as it is; drawn at once and not kept
 * @param {string} name
 * @param {() => void} chosen
 */
export function thumbnail(circuit, name, chosen) {
  const scale = devicePixelRatio || 1;
  const canvas = /** @type {HTMLCanvasElement} */ (element('canvas', { 'aria-hidden': 'true' }));
  canvas.width = SIZE.width * scale;
  canvas.height = SIZE.height * scale;
  const kind = circuit.registers > 0 ? `, ${circuit.registers} FF` : '';
  const button = element(
    'button',
    { type: 'button', class: 'thumbnail', 'aria-pressed': 'false' },
    [
      canvas,
      element('span', { class: 'name' }, [name]),
      element('span', { class: 'quiet' }, [`${circuit.gates} gates${kind}`]),
    ],
  );
  button.addEventListener('click', chosen);
  return { button, canvas, draw: () => draw(canvas, circuit, scale) };
}

/**
 * @param {HTMLCanvasElement} canvas
 *
 * @param {Circuit} circuit
 * @param {number} scale
 */
function draw(canvas, circuit, scale) {
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
  context.setTransform(scale, 0, 0, scale, 0, 0);
  const view = new Viewport(() => {});
  view.width = SIZE.width;
  view.height = SIZE.height;
  view.margins = { left: 4, right: 4, top: 4, bottom: 4 };
  view.drawing = { width: circuit.width, height: circuit.height };
  if (circuit.gates > 0) view.fitAll(true);
  const painter = new Painter(context, view, circuit);
  painter.bare = true;
  painter.draw();
}
