import { computeCellAreas, createAreaMemory } from '../grid/cell-areas.ts';
import type { Grid, Window } from '../grid/grid.ts';
import { cellSquareMetres, createGroundMetrics } from '../grid/ground.ts';
import type { ProjectedParts } from '../grid/project.ts';
import { createNodeWriter, type NodeWriter } from './block-nodes.ts';
import type { SummedBlock } from './block-sums.ts';
import type { NodeEdges } from './correlation.ts';
import { computeErrorSd } from './mean-interval.ts';

/** Value = sample × scale + offset. */
export interface SummedBand {
  readonly index: number;
  readonly scale: number;
  readonly offset: number;
}

export interface SummedErrors {
  readonly lower: SummedBand;
  readonly upper: SummedBand;
  /** Standard normal quantile of the upper bound. */
  readonly z: number;
  /**
   * The standard deviation of the error that all cells share, divided by the value. Its variance is subtracted from
   * that of each cell's error.
   */
  readonly systematicRelativeSd: number;
  /** The standard deviation of the errors that cells do not share ÷ the standard deviation that the bounds imply. */
  readonly standardisedSd: number;
  readonly edges: NodeEdges;
}

export interface SummedField {
  readonly projected: ProjectedParts;
  readonly grid: Grid;
  /** The whole raster, in cells of the grid. */
  readonly window: Window;
  /** The block, in cells of the grid. */
  readonly block: Window;
  readonly bands: number;
  readonly nodata: number;
  readonly mean: SummedBand;
  /** The values that the mean may have, as its samples round them. */
  readonly support: { readonly lower: number; readonly upper: number };
  /** Null for a mean without an interval. */
  readonly errors: SummedErrors | null;
}

export interface BlockSummer {
  /**
   * Adds a strip's cells; strips come from north to south.
   * @param cells as stored, bands interleaved
   * @param belongs non-zero for the cells that belong to the polygon
   */
  addRows(strip: Window, cells: ArrayLike<number>, belongs: Uint8Array): void;
  finish(counted: CountedCells | null): SummedBlock;
}

/** Counts of cells with known covariates; null if they are not counted. */
export interface CountedCells {
  readonly outsideTraining: number | null;
  readonly outsideApplicability: number | null;
}

/** The number of rows whose areas are in memory together. */
const ROWS = 64;

/** Sums a block's cells, weighted by the ground area of polygon ∩ cell. */
export function createBlockSummer(field: SummedField): BlockSummer {
  const { block, window, errors } = field;
  const place = { ...block, col: block.col - window.col, row: block.row - window.row };
  const nodes = errors === null ? null : createNodeWriter(place, errors.edges);
  const metricAt = createGroundMetrics(field.grid);
  const memory = createAreaMemory({ width: block.width, height: Math.min(ROWS, block.height) });
  const middle = block.col + block.width / 2;
  const totals = { covered: 0, ...createEmptySum() };

  function sumRows(rows: Window, cells: ArrayLike<number>, belongs: Uint8Array, from: number) {
    const areas = computeCellAreas(field.projected, rows, memory);
    for (let r = 0; r < rows.height; r += 1) {
      const start = r * rows.width;
      const covered = areas
        .subarray(start, start + rows.width)
        .reduce((sum, area) => sum + area, 0);
      if (covered === 0) continue;
      const squareMetres = cellSquareMetres(metricAt(middle, rows.row + r + 0.5));
      nodes?.beginRow(rows.row + r - window.row);
      const row = { cells, belongs, from: from + start, areas, start, squareMetres };
      const sums = sumRow(field, row, rows.width, nodes);
      totals.covered += covered * squareMetres;
      totals.belonging += sums.belonging;
      totals.predicted += sums.predicted;
      totals.values += sums.values;
      totals.impossible += sums.impossible;
      totals.outsideBounds += sums.outsideBounds;
      totals.squares += sums.squares;
      totals.sd += sums.sd;
      totals.lower += sums.lower;
      totals.upper += sums.upper;
    }
  }

  return {
    addRows(strip, cells, belongs) {
      for (let top = 0; top < strip.height; top += ROWS) {
        const height = Math.min(ROWS, strip.height - top);
        const rows = { ...strip, row: strip.row + top, height };
        sumRows(rows, cells, belongs, top * strip.width);
      }
    },
    finish(counted) {
      const { outsideTraining = null, outsideApplicability = null } = counted ?? {};
      const { squares, sd, lower, upper, outsideBounds, ...sums } = totals;
      const written = nodes?.finish() ?? { chunks: [], bytes: [] };
      const summed =
        errors === null || nodes === null
          ? null
          : {
              edges: errors.edges,
              nodes: nodes.window,
              squares,
              widths: { sd, lower, upper },
              chunks: written.chunks,
            };
      const counts = {
        ...(errors === null ? {} : { outsideBounds }),
        ...(outsideTraining === null ? {} : { outsideTraining }),
        ...(outsideApplicability === null ? {} : { outsideApplicability }),
      };
      return { sums: { ...sums, ...counts, errors: summed }, nodes: written.bytes };
    },
  };
}

interface Row {
  readonly cells: ArrayLike<number>;
  readonly belongs: Uint8Array;
  /** Index of the row's first cell in `belongs`, and in `cells` by pixel. */
  readonly from: number;
  readonly areas: Float64Array;
  readonly start: number;
  readonly squareMetres: number;
}

function createEmptySum() {
  return {
    ...{ belonging: 0, predicted: 0, values: 0, impossible: 0, outsideBounds: 0 },
    ...{ squares: 0, sd: 0, lower: 0, upper: 0 },
  };
}

function sumRow(
  { bands, nodata, mean, support, errors }: SummedField,
  { cells, belongs, from, areas, start, squareMetres }: Row,
  width: number,
  nodes: NodeWriter | null,
) {
  const sums = createEmptySum();
  for (let i = 0; i < width; i += 1) {
    if (belongs[from + i] === 0) continue;
    const area = (areas[start + i] ?? 0) * squareMetres;
    sums.belonging += area;
    const cell = (from + i) * bands;
    const stored = cells[cell + mean.index] ?? nodata;
    if (stored === nodata) continue;
    const value = stored * mean.scale + mean.offset;
    sums.predicted += area;
    sums.values += area * value;
    if (value < support.lower || value > support.upper) sums.impossible += 1;
    if (errors === null || nodes === null) continue;
    const low = (cells[cell + errors.lower.index] ?? 0) * errors.lower.scale + errors.lower.offset;
    const high = (cells[cell + errors.upper.index] ?? 0) * errors.upper.scale + errors.upper.offset;
    if (value < low || value > high) sums.outsideBounds += 1;
    const lower = Math.max(value - low, 0);
    const upper = Math.max(high - value, 0);
    const sd = computeErrorSd(lower, upper, errors.z);
    const shared = errors.systematicRelativeSd * value;
    const ownVariance = Math.max(sd * sd - shared * shared, 0);
    const k = errors.standardisedSd;
    const own = area * k * Math.sqrt(ownVariance);
    sums.squares += own * own;
    // The root of a square is exact, so that k = 1 leaves sd as it is.
    sums.sd += area * Math.sqrt(sd * sd + (k * k - 1) * ownVariance);
    sums.lower += area * lower;
    sums.upper += area * upper;
    nodes.addError(i, own);
  }
  return sums;
}
