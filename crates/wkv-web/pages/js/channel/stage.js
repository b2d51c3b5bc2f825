/** What shows a run: the picture at every frame, the plot and the numbers less often. */

import { notice } from '../common/notice.js';
import { element } from '../common/element.js';
import { ErrorPlot } from './error-plot.js';
import { Picture } from './picture.js';
import { Readouts } from './readouts.js';

/** Milliseconds between two drawings of the plot and the numbers while a run moves. */
const PERIOD = 100;

/** The picture, the plot and the numbers. */
export class Stage {
  #picture = new Picture(element('picture', HTMLCanvasElement));
  #readouts = new Readouts();
  #plot = makePlot();
  #shownAt = -Infinity;

  /** @param {() => void} wake is told when it must be drawn again */
  constructor(wake) {
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
      this.#picture.recolour();
      this.#plot?.recolour();
      wake();
    });
    new ResizeObserver(wake).observe(element('picture', HTMLCanvasElement));
  }

  /**
   * @param {import('./run.js').Run} run
   * @param {string} factor of the error in the picture
   * @param {number} now the time of the frame
   * @param {boolean} settled whether no other frame follows
   */
  draw(run, factor, now, settled) {
    this.#picture.draw(run, factor);
    if (!settled && now - this.#shownAt < PERIOD) return;
    this.#shownAt = now;
    this.#readouts.show(run, this.#picture.factor);
    this.#plot?.draw(run.curve);
  }

  /**
   * Tells where a run stands, to readers who don't see it.
   *
   * @param {import('./run.js').Run | null} run null takes back what was told
   */
  announce(run) {
    this.#readouts.announce(run);
  }
}

function makePlot() {
  const { uPlot } = /** @type {{ uPlot?: typeof import('uplot') }} */ (globalThis);
  if (uPlot) return new ErrorPlot(element('error-plot', HTMLElement), uPlot);
  notice('plot', "The plot's code can't be loaded: the error over the run isn't drawn.");
  return null;
}
