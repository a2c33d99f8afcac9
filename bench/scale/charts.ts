import { duration, type Run } from './report.ts';

// A chart as SVG, with colours that hold on white and on a dark page.

const INK = '#57606a';
const FAINT = '#afb8c1';
const BLUE = '#2f81f7';
const ORANGE = '#d4791f';
const FONT = 'font-family="DejaVu Sans, Verdana, sans-serif" font-size="11"';

interface Point {
  readonly x: number;
  readonly y: number;
}

function svg(title: string, width: number, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" ${FONT} fill="${INK}">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    ...parts,
    '</svg>',
    '',
  ].join('\n');
}

function text({ x, y }: Point, says: string, more = ''): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" ${more}>${says.replaceAll('`', '').replaceAll('&', '&amp;')}</text>`;
}

const line = (from: Point, to: Point, stroke = FAINT): string =>
  `<line x1="${from.x.toFixed(1)}" y1="${from.y.toFixed(1)}" x2="${to.x.toFixed(1)}" y2="${to.y.toFixed(1)}" stroke="${stroke}"/>`;

/** Over time, of some runs: functions at work, and batches that wait. */
export function courseChart(runs: readonly Run[]): string {
  const [left, width, height, panel] = [60, 620, 84, 136];
  const panels = runs.flatMap(({ scenario, outcome: { samples, failedJobs, jobs } }, at) => {
    const top = at * panel + 26;
    const end = samples.at(-1)?.at ?? 1;
    const path = (of: (sample: (typeof samples)[number]) => number, highest: number) =>
      samples
        .map((sample, index) => {
          const x = left + (width * sample.at) / end;
          const y = top + height * (1 - of(sample) / Math.max(1, highest));
          return `${index === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`;
        })
        .join('');
    const most = Math.max(...samples.map(({ functions }) => functions));
    const waiting = Math.max(...samples.map((sample) => sample.waiting));
    const failed =
      failedJobs === 0
        ? 'no job failed'
        : `${Math.round((100 * failedJobs) / jobs)} % of jobs failed`;
    const ends = { x: left + width, y: top + height + 14 };
    return [
      text({ x: left, y: top - 10 }, `${scenario.name}: ${failed}`, 'font-weight="bold"'),
      line({ x: left, y: top }, { x: left + width, y: top }),
      line({ x: left, y: top + height }, { x: left + width, y: top + height }),
      `<path d="${path(({ functions }) => functions, most)}" fill="none" stroke="${BLUE}" stroke-width="1.4"/>`,
      `<path d="${path((sample) => sample.waiting, waiting)}" fill="none" stroke="${ORANGE}" stroke-width="1.4"/>`,
      text(
        { x: left - 6, y: top + 4 },
        most.toLocaleString('en-GB'),
        `text-anchor="end" fill="${BLUE}"`,
      ),
      text(
        { x: left + width + 6, y: top + 4 },
        waiting.toLocaleString('en-GB'),
        `fill="${ORANGE}"`,
      ),
      text({ x: left, y: ends.y }, '0'),
      text(ends, duration(end), 'text-anchor="end"'),
    ];
  });
  const bottom = runs.length * panel + 16;
  const legend = [
    text({ x: left, y: bottom }, 'concurrent functions', `fill="${BLUE}"`),
    text({ x: left + 150, y: bottom }, 'batches waiting for a slot', `fill="${ORANGE}"`),
  ];
  return svg('Concurrent functions and waiting batches', left + width + 60, bottom + 12, [
    ...panels,
    ...legend,
  ]);
}
