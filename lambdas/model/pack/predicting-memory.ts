import type { Manifest } from './manifest.ts';

const MIB = 2 ** 20;

/** Node, the code, clients of S3 and DynamoDB: what a function holds before its first block. */
const RUNTIME_BYTES = 160 * MIB;
/** Decoded tiles of covariates that `read-tiles.ts` keeps. */
const TILE_CACHE_BYTES = 128 * MIB;
/** Of tiles still packed: four requests of 4 MiB for each of four covariates. */
const REQUESTED_BYTES = 64 * MIB;
/** `POINTS_AT_ONCE` of `predict-window.ts`; the evaluator holds them once more. */
const POINTS = 2 * 65_536;
/** The file, what is read of it, and the trees as they are walked. */
const MODEL_COPIES = 4;
const FLOAT_BYTES = 4;

const SAMPLE_BYTES = { float32: 4, int16: 2, uint16: 2, uint8: 1 } as const;

export interface PackFileBytes {
  readonly model: number;
  /** Of covariates' tiles, unpacked; Infinity where that is not known. */
  readonly covariates: number;
}

/**
 * The most that predicting one of the pack's largest blocks takes, in bytes. With 16 × 16 tiles of 512
 * cells, 8 covariates and 3 bands it is, in MiB,
 *
 *     block     1,028   8,192² cells × 3 × 4 bytes, ⁴⁄₃ of it with overviews, if nothing can be compressed
 *     strip       356   8,192 × 512 cells of 8 covariates twice (those of the strip before are not yet
 *                       collected), of the bands twice (cells and halves of overviews), and a mask
 *     points        5   with a graph of 2 targets
 *     cache       128   tiles of covariates, no more than there are
 *     requests     64   the same, as they are stored
 *     runtime     160
 *
 * together 1,741 and the model besides; 1,179 for int16, 992 for one band of float32. With 8 × 8 tiles
 * it is a quarter of the block and half of the strip: 792.
 */
export function predictingMemory(
  { grid, covariates, bands, graph, raster }: Manifest,
  files: PackFileBytes,
): number {
  const edge = grid.tile_size * grid.block_tiles;
  const cellBytes = bands.length * SAMPLE_BYTES[raster.sample_type];
  // Deflate adds up to 1 in 256 to what it cannot make shorter.
  const block = (edge ** 2 * cellBytes * 4 * 257) / (3 * 256);
  const strip = edge * grid.tile_size * (2 * covariates.length * FLOAT_BYTES + 2 * cellBytes + 1);
  const points = POINTS * (covariates.length + graph.targets) * FLOAT_BYTES;
  const tiles =
    Math.min(TILE_CACHE_BYTES, files.covariates) + Math.min(REQUESTED_BYTES, files.covariates);
  return RUNTIME_BYTES + tiles + block + strip + points + MODEL_COPIES * files.model;
}
