import type { NodeEdges } from '../../../../engine/raster/summary/correlation.ts';
import type { NodeSums } from '../../../../engine/raster/summary/sum-within-job.ts';

export interface Cell {
  readonly col: number;
  readonly row: number;
  readonly error: number;
}

/** Sums cells by node, in memory. `metres` are the lengths of a cell's sides. */
export function sumNodes(
  cells: readonly Cell[],
  size: { readonly width: number; readonly height: number },
  edges: NodeEdges,
  metres = { cols: 10, rows: 10 },
): NodeSums {
  const width = Math.ceil(size.width / edges.cols);
  const height = Math.ceil(size.height / edges.rows);
  const sums = new Float64Array(width * height);
  for (const { col, row, error } of cells) {
    const at = Math.floor(row / edges.rows) * width + Math.floor(col / edges.cols);
    sums[at] = (sums[at] ?? 0) + error;
  }
  const [across, down] = [edges.cols * metres.cols, edges.rows * metres.rows];
  return {
    width,
    height,
    metric: () => ({ cc: across * across, cr: 0, rr: down * down }),
    async addTo(into, stride, region) {
      for (let row = 0; row < region.height; row += 1) {
        const start = (region.row + row) * width + region.col;
        const part = sums.subarray(start, start + region.width);
        for (const [i, sum] of part.entries()) {
          into[row * stride + i] = (into[row * stride + i] ?? 0) + sum;
        }
      }
    },
  };
}

/** The cells of a window for which `inside` is true, with random errors. */
export function makeCells(
  { width, height }: { readonly width: number; readonly height: number },
  inside: (col: number, row: number) => boolean,
): Cell[] {
  let seed = 7;
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const cells: Cell[] = [];
  for (let row = 0; row < height; row += 1) {
    for (let col = 0; col < width; col += 1) {
      if (inside(col, row)) cells.push({ col, row, error: 0.5 + random() });
    }
  }
  return cells;
}
