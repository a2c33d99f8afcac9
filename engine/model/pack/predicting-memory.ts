import { isGeographicDefinition } from '../../projection/projections.ts';
import { EXACT_CELLS, widestEdge } from '../../raster/summary/correlation.ts';
import { countTargets, type Manifest } from './manifest.ts';

const MIB = 2 ** 20;

/** Node and the code of the function, before the first block. */
const RUNTIME_BYTES = 160 * MIB;
/** Cache of decoded covariate tiles in `read-tiles.ts`. */
const TILE_CACHE_BYTES = 128 * MIB;
/** Encoded tiles: four requests of 4 MiB for each of four covariates. */
const REQUESTED_BYTES = 64 * MIB;
/** `POINTS_AT_ONCE` of `predict-window.ts`; the evaluator has a second copy. */
const POINTS = 2 * 65_536;
/** A float32 sum of errors per node (see `NodeEdges`) of a block. */
const NODE_BYTES = 4;
const METRES_PER_DEGREE = 111_320;
const FLOAT_BYTES = 4;
/**
 * A value of a training point is in memory four times: in the file, as read, as scaled, and in the boxes around
 * the points.
 */
const TRAINING_BYTES = FLOAT_BYTES + 3 * 8;

const SAMPLE_BYTES = { float32: 4, int16: 2, uint16: 2, uint8: 1 } as const;

export interface PackFileBytes {
  /** Memory of the loaded model: `estimateModelMemory` of its graph. */
  readonly model: number;
  /** Uncompressed covariate tiles; Infinity if unknown. */
  readonly covariates: number;
}

/**
 * Upper bound of the memory, in bytes, to predict one of the pack's largest blocks. With 16 × 16 tiles
 * of 512 cells, 8 covariates and 3 bands it is, in MiB:
 *
 *     block     1,028   8,192² cells × 3 × 4 bytes, times ⁴⁄₃ for overviews, if nothing compresses
 *     strip       356   8,192 × 512 cells: 8 covariates twice (the previous strip is not yet
 *                       collected), the bands twice (cells and overviews), and a mask
 *     points        5   with a graph of 2 targets
 *     cache       128   decoded covariate tiles, at most all of them
 *     requests     64   encoded covariate tiles
 *     runtime     160
 *
 * The sum is 1,741, plus the model and any training points; 1,179 for int16, 992 for one band of float32. A pack that
 * declares the correlation of its errors adds 16 for nodes; 64 if its cells are wider than a sixteenth of the
 * correlation's range, or 256 if they are wider than an eighth. With 8 × 8 tiles, the block takes a quarter and the
 * strip half as much as above, so the sum is 792.
 */
export function estimatePredictingMemory(manifest: Manifest, files: PackFileBytes): number {
  const { grid, covariates, bands, raster, error, applicability } = manifest;
  const edge = grid.tile_size * grid.block_tiles;
  const cellBytes = bands.length * SAMPLE_BYTES[raster.sample_type];
  // Data that does not compress grows by up to 1/256.
  const block = (edge ** 2 * cellBytes * 4 * 257) / (3 * 256);
  const strip = edge * grid.tile_size * (2 * covariates.length * FLOAT_BYTES + 2 * cellBytes + 1);
  const points = POINTS * (covariates.length + countTargets(manifest)) * FLOAT_BYTES;
  const training = (applicability?.points ?? 0) * covariates.length * TRAINING_BYTES;
  const tiles =
    Math.min(TILE_CACHE_BYTES, files.covariates) + Math.min(REQUESTED_BYTES, files.covariates);
  const nodes = estimateNodeBytes(grid, error?.correlation?.range_m);
  return RUNTIME_BYTES + tiles + block + strip + points + nodes + files.model + training;
}

/** Assumes the largest nodes that the range allows. */
function estimateNodeBytes(grid: Manifest['grid'], rangeMetres: number | undefined): number {
  if (rangeMetres === undefined) return 0;
  const metres = grid.cell_size * (isGeographicDefinition(grid.crs.proj4) ? METRES_PER_DEGREE : 1);
  const cells = (grid.tile_size * grid.block_tiles) ** 2;
  const edge = widestEdge(metres, rangeMetres);
  return Math.min(cells, Math.max(cells / edge ** 2, EXACT_CELLS)) * NODE_BYTES;
}
