import { type GroundMetric, groundDistance } from '../grid/ground.ts';

/**
 * Correlation of the standardised errors at a distance of h ground metres: 1 at h = 0, otherwise
 * (1 − nugget) e^(−h / rangeMetres).
 */
export interface Correlation {
  readonly nugget: number;
  readonly rangeMetres: number;
}

/** The size of a node, a rectangle of cells whose errors are summed, in cells: powers of two. */
export interface NodeEdges {
  readonly cols: number;
  readonly rows: number;
}

/** Distance beyond which the correlation counts as 0, in ranges: e⁻¹⁰ is 0.00005. */
export const CUT_RANGES = 10;

/** A node's edge is one cell or at most the range divided by this. */
const NODES_PER_RANGE = 4;

/** A polygon of at most this many cells is summed exactly, cell by cell, if the transform can hold the cells. */
export const EXACT_CELLS = 4_194_304;

/** The transform holds this many nodes of a window, or of the correlation's reach, in each direction. */
const TRANSFORM_NODES = { window: 512, reach: 256 };

export interface SummedCells {
  readonly width: number;
  readonly height: number;
  readonly pointCount: number;
}

/** @param metric at the window's centre */
export function chooseNodeEdges(
  { width, height, pointCount }: SummedCells,
  { cc, rr }: GroundMetric,
  { rangeMetres }: Correlation,
): NodeEdges {
  const chooseEdge = (cells: number, metres: number): number => {
    const isTooFine = (k: number): boolean =>
      pointCount > EXACT_CELLS * k * k ||
      (cells > TRANSFORM_NODES.window * k &&
        CUT_RANGES * rangeMetres > TRANSFORM_NODES.reach * k * metres);
    const widest = widestEdge(metres, rangeMetres);
    let k = 1;
    while (isTooFine(k) && k < widest) k *= 2;
    return k;
  };
  return { cols: chooseEdge(width, Math.sqrt(cc)), rows: chooseEdge(height, Math.sqrt(rr)) };
}

/** The maximum number of cells, each this many metres wide, along the edge of a node; a power of two. */
export function widestEdge(metres: number, rangeMetres: number): number {
  let k = 1;
  while (2 * k * metres * NODES_PER_RANGE <= rangeMetres) k *= 2;
  return k;
}

export function metricOfNode(
  { cc, cr, rr }: GroundMetric,
  { cols, rows }: NodeEdges,
): GroundMetric {
  return { cc: cc * cols * cols, cr: cr * cols * rows, rr: rr * rows * rows };
}

/** Columns and rows within which the correlation between nodes is not cut. */
export function findReach(
  metric: GroundMetric,
  { rangeMetres }: Correlation,
): readonly [number, number] {
  // The ellipse cc x² + 2 cr x y + rr y² = cut² extends to cut √(rr / det) and cut √(cc / det).
  const det = metric.cc * metric.rr - metric.cr * metric.cr;
  const cut = CUT_RANGES * rangeMetres;
  return [
    Math.floor(cut * Math.sqrt(metric.rr / det)),
    Math.floor(cut * Math.sqrt(metric.cc / det)),
  ];
}

/** The correlation between nodes without its nugget, e^(−h/a), cut at {@link CUT_RANGES}. */
export function createDecay(
  metric: GroundMetric,
  { rangeMetres }: Correlation,
): (cols: number, rows: number) => number {
  return (cols, rows) => {
    const ranges = groundDistance(metric, cols, rows) / rangeMetres;
    return ranges > CUT_RANGES ? 0 : Math.exp(-ranges);
  };
}
