import { type Html, html } from '../../../client/src/drawing/html.ts';
import type { Pair } from './accuracy.ts';
import type { Part, Validation } from './validate.ts';

// Figures as SVG, with colours that hold on white and in print.

const INK = '#57606a';
const FAINT = '#d0d7de';
const BLUE = '#0969da';
const FONT = 'DejaVu Sans, Verdana, sans-serif';

const PLOT = { left: 64, top: 34, edge: 360 } as const;

/** Measurements over predictions, with the line on which they are equal. */
export function observedOverPredicted(
  { model, unit, accuracy }: Validation,
  pairs: readonly Pair[],
): string {
  const values = pairs.flatMap(({ observed, predicted }) => [observed, predicted]);
  const axis = niceAxis(Math.min(...values), Math.max(...values));
  const { left, top, edge } = PLOT;
  const along = (value: number): number => ((value - axis.from) / (axis.to - axis.from)) * edge;
  const ticks = axis.ticks.map((value) => {
    const at = along(value);
    return html`<path d="M${left + at} ${top}v${edge}M${left} ${top + edge - at}h${edge}" stroke="${FAINT}" />
<text x="${left + at}" y="${top + edge + 16}" text-anchor="middle">${value}</text>
<text x="${left - 8}" y="${top + edge - at + 4}" text-anchor="end">${value}</text>`;
  });
  const points = pairs.map(
    ({ observed, predicted }) =>
      html`<circle cx="${rounded(left + along(predicted))}" cy="${rounded(top + edge - along(observed))}" r="2.2" />`,
  );
  const title = `${model}: R² ${accuracy.r2.value.toFixed(2)}, n ${accuracy.n}`;
  return svg(
    title,
    { width: left + edge + 24, height: top + edge + 48 },
    html`${ticks}<path d="M${left} ${top + edge}L${left + edge} ${top}" stroke="${INK}" />
<g fill="${BLUE}" fill-opacity="0.45">${points}</g>
<text x="${left + edge / 2}" y="${top + edge + 38}" text-anchor="middle">predicted (${unit})</text>
<text transform="translate(16 ${top + edge / 2}) rotate(-90)" text-anchor="middle">observed (${unit})</text>`,
  );
}

const ROW = 22;

/** The share of each part inside the outermost interval, with its 95 % interval and the claim. */
export function coverageByPart({ model, coverage, thirds, groups }: Validation): string | null {
  const [outermost] = coverage;
  if (outermost === undefined) return null;
  const parts = [
    { name: 'all', inside: outermost.inside },
    ...thirds.map((part) => ({ ...part, name: `predicted ${part.name}` })),
    ...groups,
  ].flatMap(({ name, inside }: Pick<Part, 'name' | 'inside'>) =>
    inside === null ? [] : [{ name, inside }],
  );
  const left = 190;
  const { top, edge } = PLOT;
  const x = (value: number): number => rounded(left + value * edge);
  const height = parts.length * ROW;
  const rows = parts.map(({ name, inside }, at) => {
    const y = top + at * ROW + ROW / 2;
    return html`<text x="${left - 10}" y="${y + 4}" text-anchor="end">${shortened(name)}</text>
<path d="M${x(inside.lower)} ${y}H${x(inside.upper)}" stroke="${BLUE}" stroke-width="2" />
<circle cx="${x(inside.value)}" cy="${y}" r="4" fill="${BLUE}" />
<text x="${left + edge + 10}" y="${y + 4}">${inside.value.toFixed(2)} of ${inside.n}</text>`;
  });
  const ticks = [0, 0.25, 0.5, 0.75, 1].map(
    (value) => html`<path d="M${x(value)} ${top}v${height}" stroke="${FAINT}" />
<text x="${x(value)}" y="${top + height + 16}" text-anchor="middle">${value}</text>`,
  );
  return svg(
    `${model}: share inside ${outermost.lower} to ${outermost.upper}, claimed ${outermost.claimed}`,
    { width: left + edge + 110, height: top + height + 28 },
    html`${ticks}<path d="M${x(outermost.claimed)} ${top}v${height}" stroke="${INK}" stroke-dasharray="4 3" />${rows}`,
  );
}

function svg(
  title: string,
  { width, height }: { readonly width: number; readonly height: number },
  content: Html,
): string {
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="${FONT}" font-size="11" fill="${INK}">
<title>${title}</title>
<rect width="${width}" height="${height}" fill="#ffffff" />
<text x="${width / 2}" y="20" text-anchor="middle" font-size="13">${title}</text>
${content}
</svg>
`.html;
}

interface Axis {
  readonly from: number;
  readonly to: number;
  readonly ticks: readonly number[];
}

/** An axis that contains both values, with about five round ticks. */
function niceAxis(least: number, most: number): Axis {
  const span = most - least || 1;
  const power = 10 ** Math.floor(Math.log10(span / 5));
  const step = power * ([1, 2, 5, 10].find((factor) => span / (power * factor) <= 6) ?? 10);
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  const ticks = Array.from({ length: last - first + 1 }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
  return { from: first * step, to: last * step, ticks };
}

const rounded = (value: number): number => Number(value.toFixed(1));

function shortened(name: string): string {
  return name.length > 28 ? `${name.slice(0, 27)}…` : name;
}
