import type { Datapoints } from './run-metrics.ts';

// Draws a dashboard from its JSON: CloudWatch itself needs an account.

/** A line of a graph. */
export interface Series {
  readonly label: string;
  readonly color: string;
  readonly datapoints: Datapoints;
}

export interface Graph {
  readonly title: string;
  readonly unit: string;
  readonly stacked: boolean;
  readonly series: readonly Series[];
  readonly lines: readonly {
    readonly value: number;
    readonly label: string;
    readonly color: string;
  }[];
}

export interface Placed {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The content. */
  readonly html: string;
}

/** CloudWatch's grid: 24 columns. */
const COLUMN = 50;
const ROW = 40;

export function dashboardHtml(title: string, widgets: readonly Placed[]): string {
  const bottom = Math.max(...widgets.map(({ y, height }) => y + height));
  const boxes = widgets.map(
    ({ x, y, width, height, html }) =>
      `<div style="position:absolute;left:${x * COLUMN}px;top:${y * ROW}px;width:${width * COLUMN - 10}px;height:${height * ROW - 10}px;background:#fff;border:1px solid #d5dbdb;box-sizing:border-box;overflow:hidden">${html}</div>`,
  );
  return `<!doctype html><html><body style="margin:12px;background:#f2f3f3;font:12px 'DejaVu Sans',Verdana,sans-serif;color:#16191f"><h1 style="font-size:15px;margin:0 0 8px">${title}</h1><div style="position:relative;width:${24 * COLUMN}px;height:${bottom * ROW}px">${boxes.join('')}</div></body></html>`;
}

export function titled(title: string, html: string): string {
  return `<div style="font-weight:bold;padding:6px 8px 2px">${title}</div>${html}`;
}

const WITHOUT = '<div style="padding:24px 8px;color:#879596">not measured by the emulator</div>';

export function graphHtml(graph: Graph, width: number, height: number): string {
  const seen = graph.series.filter(({ datapoints }) => datapoints.some((value) => value !== null));
  if (seen.length === 0) return titled(graph.title, WITHOUT);
  const box = { left: 54, top: 8, width: width * COLUMN - 80, height: height * ROW - 92 };
  const minutes = seen[0]?.datapoints.length ?? 1;
  const tops = graph.stacked
    ? Array.from({ length: minutes }, (_, at) =>
        seen.reduce((sum, { datapoints }) => sum + (datapoints[at] ?? 0), 0),
      )
    : seen.flatMap(({ datapoints }) => datapoints.map((value) => value ?? 0));
  const drawnLines = graph.lines.filter(({ value }) => value <= 20 * Math.max(1, ...tops));
  const most =
    Math.max(
      ...(tops.some((top) => top > 0) ? tops : [1]),
      ...tops,
      ...drawnLines.map(({ value }) => value),
    ) * 1.1;
  const x = (at: number) => box.left + (box.width * at) / Math.max(1, minutes - 1);
  const y = (value: number) => box.top + box.height * (1 - value / most);
  const base = Array(minutes).fill(0) as number[];
  const paths = seen.map(({ datapoints, color }) => {
    if (!graph.stacked) return lineOf(datapoints, x, y, color);
    const lower = base
      .map((value, at) => `L${x(at)} ${y(value)}`)
      .reverse()
      .join('');
    datapoints.forEach((value, at) => {
      base[at] = (base[at] ?? 0) + (value ?? 0);
    });
    const upper = base.map((value, at) => `${at === 0 ? 'M' : 'L'}${x(at)} ${y(value)}`).join('');
    return `<path d="${upper}${lower}Z" fill="${color}" fill-opacity="0.6" stroke="${color}"/>`;
  });
  const grid = [0, most / 2.2, most / 1.1].map(
    (value) =>
      `<line x1="${box.left}" x2="${box.left + box.width}" y1="${y(value)}" y2="${y(value)}" stroke="#eaeded"/><text x="${box.left - 5}" y="${y(value) + 4}" text-anchor="end" font-size="10" fill="#545b64">${short(value)}</text>`,
  );
  const limits = drawnLines.map(
    ({ value, label, color }) =>
      `<line x1="${box.left}" x2="${box.left + box.width}" y1="${y(value)}" y2="${y(value)}" stroke="${color}" stroke-dasharray="4 3"/><text x="${box.left + box.width}" y="${y(value) - 3}" text-anchor="end" font-size="10" fill="${color}">${label} ${short(value)}</text>`,
  );
  const svg = `<svg width="${width * COLUMN - 14}" height="${box.height + 26}">${grid.join('')}${paths.join('')}${limits.join('')}<text x="${box.left}" y="${box.top + box.height + 15}" font-size="10" fill="#545b64">0 min</text><text x="${box.left + box.width}" y="${box.top + box.height + 15}" text-anchor="end" font-size="10" fill="#545b64">${minutes - 1} min</text></svg>`;
  const legend = seen.map(
    ({ label, color }) =>
      `<span style="margin-right:10px;white-space:nowrap"><span style="color:${color}">■</span> ${label}</span>`,
  );
  return titled(
    `${graph.title} <span style="font-weight:normal;color:#545b64">${graph.unit}</span>`,
    `${svg}<div style="padding:0 8px;font-size:10px;height:30px;overflow:hidden">${legend.join('')}</div>`,
  );
}

function lineOf(
  datapoints: Datapoints,
  x: (at: number) => number,
  y: (value: number) => number,
  color: string,
): string {
  const points = datapoints.flatMap((value, at) =>
    value === null ? [] : [[x(at), y(value)] as const],
  );
  const path = points.map(([px, py], at) => `${at === 0 ? 'M' : 'L'}${px} ${py}`).join('');
  const dots = points.map(([px, py]) => `<circle cx="${px}" cy="${py}" r="2.2" fill="${color}"/>`);
  return `<path d="${path}" fill="none" stroke="${color}" stroke-width="1.6"/>${dots.join('')}`;
}

function short(value: number): string {
  if (value >= 1e6) return `${(value / 1e6).toPrecision(2)}M`;
  if (value >= 1e4) return `${Math.round(value / 1e3)}k`;
  return value >= 10 || value === 0 ? String(Math.round(value)) : value.toPrecision(2);
}
