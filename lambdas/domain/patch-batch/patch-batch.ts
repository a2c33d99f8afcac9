import * as z from 'zod/mini';
import type { CovariateFile } from '#engine/model/covariates/covariate-files.ts';
import type { PlannedMap } from '#engine/model/pack/catalogue.ts';
import type { BlockIndex } from '#engine/raster/cog/block-index.ts';
import type { BlockSource } from '#engine/raster/cog/ports.ts';
import type { CellRule, PlannedBlock } from '#engine/raster/grid/plan.ts';
import type { Timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import type { Transition } from '../transition.ts';
import { count, time, type ViewOf } from '../wire.ts';

export const PATCH_BATCH_FAILURE_CODES = [
  'covariate_unavailable',
  'model_invalid',
  'internal',
] as const;
export type PatchBatchFailureCode = (typeof PATCH_BATCH_FAILURE_CODES)[number];

const common = { patch_batch_idx: count, created_at: time, updated_at: time };

export const blockFigures = z.object({
  /** Cells that received a value. */
  predicted_point_count: count,
  /** The duration of the prediction, even if an earlier job made it. */
  inference_duration_ms: z.number(),
});

/** A patch-batch as stored. A patch-batch without an item is `pending`. */
export const patchBatchRecord = z.discriminatedUnion('status', [
  z.object({ status: z.literal('processing'), ...common }),
  z.object({ status: z.literal('completed'), ...common, ...blockFigures.shape }),
  z.object({
    status: z.literal('failed'),
    ...common,
    failure_reason: z.string(),
    /** The error code of a job that fails because of this patch-batch. */
    failure_code: z.enum(PATCH_BATCH_FAILURE_CODES),
  }),
]);

export type PatchBatchRecord = ViewOf<typeof patchBatchRecord>;

/** How a job is cut into patch-batches. Written once, before the job is `processing`. */
export interface Plan extends CellRule, PlannedMap {
  /** SHA-256 over the digests of the pack's files. */
  readonly packSha256: string;
  /**
   * The covariate files that the model reads from URLs, as they were when the job was planned; absent without such
   * files.
   */
  readonly covariateFiles?: readonly CovariateFile[];
  /** The output raster, in cells of the model's grid. */
  readonly window: {
    readonly col: number;
    readonly row: number;
    readonly width: number;
    readonly height: number;
  };
  /** The edge of a block in GeoTIFF tiles, which depends on the model's speed. */
  readonly blockTiles: number;
  readonly blocks: readonly PlannedBlock[];
}

export interface PatchBatchFailure {
  readonly code: PatchBatchFailureCode;
  /** A sentence for a person, never a stack trace. */
  readonly reason: string;
}

export interface BlockFigures extends ViewOf<typeof blockFigures> {}

export interface PatchBatchOutcome extends BlockFigures {
  /** Whether the block was copied from the job that this one retries. */
  readonly isReused?: boolean;
}

/** Port to a job's plan and patch-batches. Reads are strongly consistent. */
export interface PatchBatchStore {
  /** Stores the plan unless there is one already. @returns the stored plan */
  writePlan(batchId: BatchId, jobIndex: number, plan: Plan): Promise<Plan>;
  readPlan(batchId: BatchId, jobIndex: number): Promise<Plan | null>;
  /**
   * Changes the state from absent or processing to processing, while the job is `processing`. A repeated start keeps
   * the first `created_at`.
   */
  start(batchId: BatchId, jobIndex: number, idx: number, at: Timestamp): Promise<Transition>;
  /**
   * Changes the state from processing to completed, together with the job's counters and while the job is
   * `processing`, so that everything is counted exactly once.
   */
  complete(
    batchId: BatchId,
    jobIndex: number,
    block: PlannedBlock,
    outcome: PatchBatchOutcome,
    at: Timestamp,
  ): Promise<Transition>;
  /** Changes the state from absent or processing to failed, while the job is `processing`. */
  fail(
    batchId: BatchId,
    jobIndex: number,
    idx: number,
    failure: PatchBatchFailure,
    at: Timestamp,
  ): Promise<Transition>;
  readPatchBatch(batchId: BatchId, jobIndex: number, idx: number): Promise<PatchBatchRecord | null>;
  /** Lists records with first ≤ idx < end by index, without patch-batches that are still pending. */
  listPatchBatches(
    batchId: BatchId,
    jobIndex: number,
    first: number,
    end: number,
  ): Promise<readonly PatchBatchRecord[]>;
}

/** Port to the encoded blocks of patch-batches. Writing a block again writes the same bytes. */
export interface BlockStore extends BlockSource {
  write(
    batchId: BatchId,
    jobIndex: number,
    idx: number,
    block: { readonly bytes: Uint8Array; readonly index: BlockIndex },
  ): Promise<void>;
  /**
   * Copies a block and its index to another name within the store.
   * @returns false if the block no longer exists or has another format
   */
  copy(fromRef: string, toRef: string): Promise<boolean>;
  readIndex(batchId: BatchId, jobIndex: number, idx: number): Promise<BlockIndex>;
  /** Returns a block's name, which is needed to copy it and for {@link BlockSource.readInto}. */
  ref(batchId: BatchId, jobIndex: number, idx: number): string;
}
