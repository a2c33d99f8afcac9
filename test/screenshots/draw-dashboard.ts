import type { Series, Widget } from '../support/dashboard/deployed-dashboard.ts';
import type { Row, Value } from '../support/dashboard/insights.ts';

export interface Drawn {
  readonly widget: Widget;
  readonly series?: readonly Series[];
  readonly rows?: readonly Row[];
  readonly alarms?: readonly (readonly [name: string, state: string])[];
}

/** The period that graphs show, in milliseconds since 1970. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

export const PAGE_WIDTH = 1440;
const COLUMN = PAGE_WIDTH / 24;
const ROW = 46;
const GAP = 8;

/** CloudWatch's colours for series without a colour. */
const PALETTE = ['#1f77b4', '#ff7f0e', '#2ca02c', '#d62728', '#9467bd', '#8c564b', '#e377c2'];

const STYLE = `
  body { margin: 0; background: #f2f3f3; color: #16191f; font: 12px "Open Sans", sans-serif; }
  section { position: absolute; box-sizing: border-box; background: #fff; border: 1px solid #d5dbdb;
    border-radius: 8px; padding: 8px 12px; overflow: hidden; display: flex; flex-direction: column; }
  h2 { font-size: 13px; font-weight: 700; margin: 0 0 4px; white-space: nowrap; }
  svg { display: block; flex: 1; overflow: visible; } text { fill: #545b64; font-size: 10.5px; }
  .legend { display: flex; flex-wrap: wrap; gap: 2px 14px; max-height: 32px; overflow: hidden; color: #414d5c;
    font-size: 11px; } .legend i { display: inline-block; width: 10px; height: 10px; border-radius: 2px;
    margin-right: 5px; vertical-align: -1px; }
  table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: 4px 10px 4px 0;
    border-bottom: 1px solid #eaeded; white-space: nowrap; } th { color: #545b64; } td.number, th.number { text-align: right; padding-right: 36px; }
  .alarms { display: grid; grid-template-columns: repeat(9, 1fr); gap: 4px; }
  .alarms span { border: 1px solid #d5dbdb; border-left: 4px solid #879596; border-radius: 3px; padding: 2px 6px;
    font-size: 10.5px; white-space: nowrap; overflow: hidden; } .alarms .OK { border-left-color: #1d8102; }
  .alarms .ALARM { border-left-color: #d13212; background: #fdf3f1; }
  .empty { flex: 1; display: grid; place-items: center; color: #687078; }`;

export function drawDashboard(
  all: readonly Drawn[],
  window: Window,
): { html: string; height: number } {
  const top = Math.min(...all.map(({ widget }) => widget.y));
  const bottom = Math.max(...all.map(({ widget }) => widget.y + widget.height));
  const sections = all.map((drawn) => {
    const { x, y, width, height, properties } = drawn.widget;
    const box = { width: width * COLUMN - GAP, height: height * ROW - GAP };
    const style = `left:${x * COLUMN + GAP / 2}px;top:${(y - top) * ROW + GAP / 2}px;width:${box.width}px;height:${box.height}px`;
    return `<section style="${style}"><h2>${escapeText(properties.title)}</h2>${drawContent(drawn, box, window)}</section>`;
  });
  const html = `<!doctype html><meta charset="utf-8"><style>${STYLE}</style><body>${sections.join('')}`;
  return { html, height: (bottom - top) * ROW };
}

/** Keeps only the rows of the grid in which a widget has data, and closes the gaps between them. */
export function keepRowsWithData(all: readonly Drawn[]): readonly Drawn[] {
  const hasData = ({ series = [] }: Drawn) => series.some(({ points }) => points.size > 0);
  const tops = [...new Set(all.filter(hasData).map(({ widget }) => widget.y))].sort(
    (a, b) => a - b,
  );
  return all
    .filter(({ widget }) => tops.includes(widget.y))
    .map((drawn) => {
      const y = tops.indexOf(drawn.widget.y) * drawn.widget.height;
      return { ...drawn, widget: { ...drawn.widget, y } };
    });
}

interface Box {
  readonly width: number;
  readonly height: number;
}

function drawContent(
  { widget, series = [], rows, alarms }: Drawn,
  box: Box,
  window: Window,
): string {
  if (alarms !== undefined) {
    const each = alarms.map(([name, state]) => `<span class="${state}">${escapeText(name)}</span>`);
    return `<div class="alarms">${each.join('')}</div>`;
  }
  if (rows !== undefined) return drawTable(rows);
  if (series.every(({ points }) => points.size === 0)) {
    return `<div class="empty">No data available</div>${drawLegend(series)}`;
  }
  return (
    drawGraph(widget, series, { width: box.width - 26, height: box.height - 80 }, window) +
    drawLegend(series)
  );
}

function drawTable(rows: readonly Row[]): string {
  const names = Object.keys(rows[0] ?? {});
  const kind = (name: string) => (typeof rows[0]?.[name] === 'number' ? ' class="number"' : '');
  const row = (tag: string, text: (name: string) => Value) =>
    `<tr>${names.map((name) => `<${tag}${kind(name)}>${escapeText(String(text(name) ?? ''))}</${tag}>`).join('')}</tr>`;
  return `<table>${row('th', (name) => name)}${rows.map((one) => row('td', (name) => one[name])).join('')}</table>`;
}

function drawLegend(series: readonly Series[]): string {
  const entries = series.map(
    (one, at) =>
      `<span><i style="background:${colourOf(one, at)}"></i>${escapeText(one.label)}</span>`,
  );
  return `<div class="legend">${entries.join('')}</div>`;
}

const colourOf = ({ color }: Series, at: number) => color ?? PALETTE[at % PALETTE.length] ?? '#000';

const LEFT = 46;
const BOTTOM = 18;
const TOP = 16;

function drawGraph(
  { properties }: Widget,
  series: readonly Series[],
  box: Box,
  { from, to }: Window,
): string {
  const { stacked = false, annotations, yAxis } = properties;
  const drawn = stacked ? stack(series) : series;
  const right = series.some(({ yAxis: side }) => side === 'right') ? LEFT : 8;
  const x = (time: number) => LEFT + ((time - from) / (to - from)) * (box.width - LEFT - right);
  const axisOf = (side: 'left' | 'right') => {
    const values = drawn
      .filter((one) => one.yAxis === side)
      .flatMap(({ points }) => [...points.values()]);
    const top = ceilNicely(Math.max(0, ...values));
    return { top, y: (value: number) => TOP + (1 - value / top) * (box.height - TOP - BOTTOM) };
  };
  const [left, other] = [axisOf('left'), axisOf('right')];
  const base = left.y(0);
  const lines = [0, 0.5, 1].map((share) => {
    const at = left.y(share * left.top);
    const labels = [
      `<text x="${LEFT - 6}" y="${at + 4}" text-anchor="end">${formatValue(share * left.top)}</text>`,
      right === LEFT
        ? `<text x="${box.width - right + 6}" y="${at + 4}">${formatValue(share * other.top)}</text>`
        : '',
    ];
    return `<path d="M${LEFT} ${at}H${box.width - right}" stroke="#eaeded"/>${labels.join('')}`;
  });
  const minutes = [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const time = from + share * (to - from);
    return `<text x="${x(time)}" y="${box.height - 3}" text-anchor="${share === 0 ? 'start' : share === 1 ? 'end' : 'middle'}">${new Date(time).toISOString().slice(11, 16)}</text>`;
  });
  const units = [
    `<text x="0" y="8">${escapeText(yAxis?.left?.label ?? '')}</text>`,
    right === LEFT
      ? `<text x="${box.width}" y="8" text-anchor="end">${escapeText(yAxis?.right?.label ?? '')}</text>`
      : '',
  ];
  const marks = (annotations?.horizontal ?? [])
    .filter(({ value }) => value <= left.top)
    .map(({ value, label, color }) => {
      const at = left.y(value);
      return `<path d="M${LEFT} ${at}H${box.width - right}" stroke="${color}" stroke-dasharray="4 3"/><text x="${box.width - right}" y="${at - 4}" text-anchor="end">${escapeText(label)}</text>`;
    });
  const paths = drawn.map((one, at) => {
    const { y } = one.yAxis === 'left' ? left : other;
    const colour = colourOf(series[at] ?? one, at);
    const points = [...one.points]
      .sort(([a], [b]) => a - b)
      .map(([time, value]) => [x(time), y(value)] as const);
    const line = points.map(([px, py], i) => `${i === 0 ? 'M' : 'L'}${px} ${py}`).join('');
    const area =
      stacked && points.length > 1
        ? `<path d="${line}L${points.at(-1)?.[0]} ${base}L${points[0]?.[0]} ${base}Z" fill="${colour}"/>`
        : '';
    const dots = points
      .map(([px, py]) => `<circle cx="${px}" cy="${py}" r="2" fill="${colour}"/>`)
      .join('');
    return `${area}<path d="${line}" fill="none" stroke="${colour}" stroke-width="1.5"/>${dots}`;
  });
  // The last of the stacked series is the highest, so it is drawn first.
  const inFront = stacked ? paths.toReversed() : paths;
  return `<svg width="${box.width}" height="${box.height}">${[...lines, ...minutes, ...units, ...inFront, ...marks].join('')}</svg>`;
}

/** Stacks each series that has points on top of the previous ones. */
function stack(series: readonly Series[]): readonly Series[] {
  const times = [...new Set(series.flatMap(({ points }) => [...points.keys()]))];
  const height = new Map<number, number>();
  return series.map((one) => {
    if (one.points.size === 0) return one;
    const points = new Map(
      times.map((time) => [time, (height.get(time) ?? 0) + (one.points.get(time) ?? 0)] as const),
    );
    for (const [time, value] of points) height.set(time, value);
    return { ...one, points };
  });
}

function ceilNicely(value: number): number {
  if (value === 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 6, 8, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

function formatValue(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 10_000 ? `${value / 1_000}k` : String(Number(value.toPrecision(3)));
}

const escapeText = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
