import type { Window } from '../grid/grid.ts';
import type { GroundMetric } from '../grid/ground.ts';
import { type Correlation, createDecay, findReach } from './correlation.ts';
import { type ComplexGrid, createFourier, type Fourier } from './fourier.ts';

export interface NodeSums {
  readonly width: number;
  readonly height: number;
  /** The metric between nodes at a fractional node column and row. */
  metric(col: number, row: number): GroundMetric;
  /** Adds the region's nodes to `into`, whose rows have `stride` numbers. */
  addTo(into: Float64Array, stride: number, region: Window): Promise<void>;
}

/** Maximum edge of an unsplit transform. A square transform of this size takes 42 MB, with its kernel and nodes. */
const MAX_SIZE = 1_024;
const MIN_SIZE = 512;

/**
 * ΣΣ sᵢ sⱼ e^(−hᵢⱼ / a) over all pairs of nodes; sᵢ is the error of a node, h is the ground distance, and a is the
 * range.
 *
 * The convolution theorem is applied tile by tile. Each tile is read with a halo as wide as the correlation's
 * reach, so memory does not grow with the window. A single tile has no halo, and its sum follows from its
 * spectrum.
 */
export async function sumWithinJob(sums: NodeSums, correlation: Correlation): Promise<number> {
  const [farCols, farRows] = findReach(sums.metric(sums.width / 2, sums.height / 2), correlation);
  const cols = cutAxis(sums.width, farCols);
  const rows = cutAxis(sums.height, farRows);
  const transform = createFourier(cols.size, rows.size);
  const values = new Float64Array(cols.size * rows.size);
  const products = new Float64Array(2 * values.length);
  const transformValues = (): ComplexGrid => {
    products.fill(0);
    // A counting loop: `entries` would allocate a pair per node.
    for (let i = 0; i < values.length; i += 1) products[2 * i] = values[i] ?? 0;
    transform.forward(products);
    return products;
  };
  const kernelNear = createKernelCache(cols, rows, transform, correlation);
  if (cols.core === sums.width && rows.core === sums.height) {
    const { width, height } = sums;
    await sums.addTo(values, cols.size, { col: 0, row: 0, width, height });
    return sumSpectrum(transformValues(), kernelNear(sums.metric(width / 2, height / 2)));
  }
  let sum = 0;
  for (let row = 0; row < sums.height; row += rows.core) {
    for (let col = 0; col < sums.width; col += cols.core) {
      const core = {
        col,
        row,
        width: Math.min(cols.core, sums.width - col),
        height: Math.min(rows.core, sums.height - row),
      };
      const region = growWindow(core, cols.halo, rows.halo, sums);
      values.fill(0);
      await sums.addTo(values, cols.size, region);
      if (!hasAnyValue(core, region, values, cols.size)) continue;
      const kernel = kernelNear(sums.metric(col + core.width / 2, row + core.height / 2));
      multiplySpectra(transformValues(), kernel);
      transform.inverse(products);
      for (let r = core.row - region.row; r < core.row - region.row + core.height; r += 1) {
        const start = r * cols.size + core.col - region.col;
        for (let i = start; i < start + core.width; i += 1) {
          sum += (values[i] ?? 0) * (products[2 * i] ?? 0);
        }
      }
    }
  }
  // Through rounding in the transform, a sum of 0 may come out slightly negative.
  return Math.max(sum, 0);
}

/** The sum over a whole window by Parseval's theorem: the kernel's spectrum is real. */
function sumSpectrum(values: ComplexGrid, kernel: ComplexGrid): number {
  let sum = 0;
  for (let i = 0; i < values.length; i += 2) {
    const [re = 0, im = 0] = [values[i], values[i + 1]];
    sum += (kernel[i] ?? 0) * (re * re + im * im);
  }
  return Math.max(sum / (values.length / 2), 0);
}

function hasAnyValue(core: Window, region: Window, values: Float64Array, stride: number): boolean {
  for (let r = core.row - region.row; r < core.row - region.row + core.height; r += 1) {
    const start = r * stride + core.col - region.col;
    const row = values.subarray(start, start + core.width);
    if (row.some((value) => value !== 0)) return true;
  }
  return false;
}

interface Cut {
  /** The edge of the transform, in nodes. */
  readonly size: number;
  readonly core: number;
  readonly halo: number;
}

/**
 * A transform wraps around: size ≥ core + 2 halo keeps the far end out of the core. If one tile holds
 * the whole axis, its halo is empty and shared by both ends.
 */
function cutAxis(nodes: number, far: number): Cut {
  const halo = Math.min(far, nodes - 1);
  const whole = nextPowerOfTwo(nodes + halo);
  if (whole <= MAX_SIZE) return { size: whole, core: nodes, halo };
  const size = Math.max(nextPowerOfTwo(4 * halo), MIN_SIZE);
  return { size, core: size - 2 * halo, halo };
}

function nextPowerOfTwo(atLeast: number): number {
  return 2 ** Math.max(Math.ceil(Math.log2(atLeast)), 1);
}

function growWindow(core: Window, haloCols: number, haloRows: number, all: NodeSums): Window {
  const col = Math.max(core.col - haloCols, 0);
  const row = Math.max(core.row - haloRows, 0);
  return {
    col,
    row,
    width: Math.min(core.col + core.width + haloCols, all.width) - col,
    height: Math.min(core.row + core.height + haloRows, all.height) - row,
  };
}

/** Maximum relative change of the metric for which the last kernel is used again. */
const SAME_METRIC = 1e-4;

/** Reuses the last transform for nearly the same metric. */
function createKernelCache(cols: Cut, rows: Cut, transform: Fourier, correlation: Correlation) {
  const kernel = new Float64Array(2 * cols.size * rows.size);
  let current: GroundMetric | null = null;
  return (metric: GroundMetric): ComplexGrid => {
    if (current !== null && isSameMetric(metric, current)) return kernel;
    current = metric;
    const correlated = createDecay(metric, correlation);
    kernel.fill(0);
    for (let dr = -rows.halo; dr <= rows.halo; dr += 1) {
      const row = (dr + rows.size) % rows.size;
      for (let dc = -cols.halo; dc <= cols.halo; dc += 1) {
        const col = (dc + cols.size) % cols.size;
        kernel[2 * (row * cols.size + col)] = correlated(dc, dr);
      }
    }
    transform.forward(kernel);
    return kernel;
  };
}

function isSameMetric(a: GroundMetric, b: GroundMetric): boolean {
  const scale = Math.max(b.cc, b.rr) * SAME_METRIC;
  return [a.cc - b.cc, a.cr - b.cr, a.rr - b.rr].every((change) => Math.abs(change) <= scale);
}

/** The kernel is symmetric, so its transform is real. */
function multiplySpectra(values: ComplexGrid, kernel: ComplexGrid): void {
  for (let i = 0; i < values.length; i += 2) {
    const factor = kernel[i] ?? 0;
    values[i] = (values[i] ?? 0) * factor;
    values[i + 1] = (values[i + 1] ?? 0) * factor;
  }
}
