import type { CellRule } from '#engine/raster/grid/plan.ts';
import type { Timestamp } from '../clock.ts';

export type PatchBatchStatus = 'pending' | 'processing' | 'completed' | 'failed';

export const PATCH_BATCH_FAILURE_CODES = [
  'covariate_unavailable',
  'model_invalid',
  'internal',
] as const;
export type PatchBatchFailureCode = (typeof PATCH_BATCH_FAILURE_CODES)[number];

/** A patch-batch as stored. One without an item is `pending`. */
export type PatchBatchRecord = {
  readonly idx: number;
  readonly createdAt: Timestamp;
  readonly updatedAt: Timestamp;
} & (
  | { readonly status: 'processing' }
  | {
      readonly status: 'completed';
      /** Cells that received a value. */
      readonly predictedPoints: number;
      readonly inferenceDurationMs: number;
    }
  | {
      readonly status: 'failed';
      readonly failureReason: string;
      /** The error code of its job. */
      readonly failureCode: PatchBatchFailureCode;
    }
);

/** One block of the output raster with at least one cell of the polygon. */
export interface PlannedBlock {
  readonly idx: number;
  /** Position and size in cells of the model's grid. */
  readonly col: number;
  readonly row: number;
  readonly width: number;
  readonly height: number;
  readonly pointCount: number;
}

/** How a job is cut into patch-batches; written once, before the job is `processing`. */
export interface Plan extends CellRule {
  /** Model pack, `id@version`. */
  readonly model: string;
  /** SHA-256 over the digests of the pack's files; absent in plans that are older than the field. */
  readonly packSha256?: string;
  /** Output raster in cells of the model's grid. */
  readonly window: {
    readonly col: number;
    readonly row: number;
    readonly width: number;
    readonly height: number;
  };
  /** Edge length of a block in GeoTIFF tiles; depends on the model's speed. */
  readonly blockTiles: number;
  readonly blocks: readonly PlannedBlock[];
}
