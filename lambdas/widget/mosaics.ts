import { type Html, html, shortened } from '#engine/markup/html.ts';
import type { JobSummary, Mosaic } from '../domain/dashboard/batch-detail.ts';

const CELL = 13;
const GAP = 3;
const COLUMNS = 40;

/** Every job of a batch as a square, in the order sent; 1,000 jobs take 25 rows. */
export function jobSquares(jobs: readonly JobSummary[]): Html {
  const columns = Math.min(COLUMNS, jobs.length);
  const width = columns * (CELL + GAP) - GAP;
  const height = Math.ceil(jobs.length / columns) * (CELL + GAP) - GAP;
  return html`<svg width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">${jobs.map(
    (job) => {
      const x = (job.index % columns) * (CELL + GAP);
      const y = Math.floor(job.index / columns) * (CELL + GAP);
      return html`<rect x="${x}" y="${y}" width="${CELL}" height="${CELL}" rx="2.5" class="${job.status}"><title>${titleOf(job)}</title></rect>`;
    },
  )}</svg>`;
}

function titleOf({ index, name, status, error }: JobSummary): string {
  const called = name === null ? '' : ` ${shortened(name, 60)}`;
  return `job ${index}${called}: ${status}${error === null ? '' : ` (${error.code})`}`;
}

/** Longest side of a mosaic on the page, in pixels. */
const SIDE = 260;

/** A job's patch-batches at their positions in its raster; blocks without a cell are left empty. */
export function patchMosaic({ width, height, tiles }: Mosaic): Html {
  const scale = SIDE / Math.max(width, height);
  const px = (cells: number) => (cells * scale).toFixed(1);
  const gap = Math.min(1.5, (SIDE / Math.sqrt(tiles.length || 1)) * 0.06);
  const inner = (cells: number) => Math.max(0.8, cells * scale - gap).toFixed(1);
  return html`<svg width="${px(width)}" height="${px(height)}" viewBox="0 0 ${px(width)} ${px(height)}" role="img">${tiles.map(
    (tile) =>
      html`<rect x="${px(tile.col)}" y="${px(tile.row)}" width="${inner(tile.width)}" height="${inner(tile.height)}" rx="1.5" class="${tile.status}"><title>patch-batch ${tile.idx}: ${tile.status}${tile.failureReason === null ? '' : ` (${shortened(tile.failureReason, 200)})`}</title></rect>`,
  )}</svg>`;
}
