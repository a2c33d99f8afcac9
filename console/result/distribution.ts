import type { Model } from 'soil-batch-client';
import { colourAt, formatHexColour } from '#engine/display/colour-ramp.ts';
import { fill, h } from '../element.ts';
import type { Overview } from '../map/overview.ts';
import { cellSizeText } from '../model-text.ts';
import { formatRounded } from '../numbers.ts';
import { TEXTS } from '../texts.ts';
import type { ColourScale, Range } from './colour-scale.ts';
import { legend } from './legend.ts';
import { type RasterView, valueOfView } from './views.ts';

export function distribution({ grid }: Model) {
  const element = h('figure', { class: 'distribution' });
  let overview: Overview | null = null;
  let shown: { readonly view: RasterView; readonly scale: ColourScale } | null = null;
  const draw = () => {
    if (shown === null) return;
    const { view, scale } = shown;
    const colours = legend(view.title, scale, view.unit);
    if (overview === null) return fill(element, colours);
    const values = computeValues(overview, view);
    const cells = values.filter((value) => !Number.isNaN(value)).length;
    const { reduction } = overview;
    const size = cellSizeText(grid, reduction);
    fill(
      element,
      histogram(values, view, scale.range),
      colours,
      h(
        'figcaption',
        { class: 'muted' },
        `${formatSpread(values, view.unit)} `,
        reduction === 1 ? TEXTS.result.ofCells(cells) : TEXTS.result.ofOverview(cells, size),
      ),
    );
  };
  return {
    element,
    /**
     * The range of nearly all values of a view; null before the overview is read, or if nearly all values are equal.
     */
    rangeOf: (of: RasterView) =>
      overview === null ? null : computeSpreadRange(computeValues(overview, of)),
    read(now: Overview) {
      overview = now;
      draw();
    },
    show(view: RasterView, scale: ColourScale) {
      shown = { view, scale };
      draw();
    },
  };
}

function computeValues({ bands }: Overview, view: RasterView): Float64Array {
  const length = bands[view.band]?.length ?? 0;
  return Float64Array.from({ length }, (_, cell) =>
    valueOfView(view, (band) => bands[band]?.[cell] ?? Number.NaN),
  );
}

/**
 * The share of values at each end that the range leaves out: extremes would give all other values one colour.
 */
const OUTERMOST = 0.02;

function computeSpreadRange(values: Float64Array): Range | null {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const at = (part: number) => sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN;
  const [low, high] = [at(OUTERMOST), at(1 - OUTERMOST)];
  return low < high ? [low, high] : null;
}

const SVG = 'http://www.w3.org/2000/svg';
const BINS = 24;
const WIDTH = 480;
const HEIGHT = 96;

interface Bin {
  readonly from: number;
  readonly to: number;
  readonly cells: number;
}

/**
 * Counts values in bins of the legend's range. Values beyond the range count in the first or last bin, whose colour
 * they have.
 */
function countBins(values: Float64Array, [low, high]: Range): readonly Bin[] {
  const step = (high - low) / BINS;
  const cells = new Array<number>(BINS).fill(0);
  for (const value of values) {
    if (Number.isNaN(value)) continue;
    const at = Math.min(Math.max(Math.floor((value - low) / step), 0), BINS - 1);
    cells[at] = (cells[at] ?? 0) + 1;
  }
  return cells.map((amount, at) => ({
    from: low + at * step,
    to: low + (at + 1) * step,
    cells: amount,
  }));
}

function histogram(values: Float64Array, { title, unit }: RasterView, range: Range) {
  const bins = countBins(values, range);
  const most = Math.max(1, ...bins.map(({ cells }) => cells));
  const width = WIDTH / BINS;
  const bars = bins.map(({ from, to, cells }, at) => {
    const height = (cells / most) * HEIGHT;
    const bar = svg('rect', {
      x: at * width,
      y: HEIGHT - height,
      width,
      height,
      fill: formatHexColour(colourAt((at + 0.5) / BINS)),
    });
    const text = svg('title', {});
    text.textContent = TEXTS.result.bin(formatRounded(from), formatRounded(to), unit, cells);
    bar.append(text);
    bar.dataset['cells'] = String(cells);
    return bar;
  });
  const picture = svg('svg', {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
    preserveAspectRatio: 'none',
    role: 'img',
    class: 'histogram',
    'aria-label': TEXTS.result.histogram(title, formatSpread(values, unit)),
  });
  picture.append(...bars);
  return picture;
}

function formatSpread(values: Float64Array, unit: string): string {
  const sorted = values.filter((value) => !Number.isNaN(value)).sort();
  const [low, middle, high] = [0, 0.5, 1].map((part) =>
    formatRounded(sorted[Math.round(part * (sorted.length - 1))] ?? Number.NaN),
  );
  if (sorted.length === 0) return TEXTS.result.noValues;
  return TEXTS.result.spread(`${low}`, `${middle}`, `${high}`, unit);
}

function svg<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[Tag] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, `${value}`);
  return element;
}
