import * as z from 'zod/mini';
import {
  PATCH_BATCH_FAILURE_CODES,
  type PatchBatchRecord,
  type Plan,
} from '../../domain/patch-batch/patch-batch.ts';
import type { Item } from './table.ts';

const int = z.int();

const planSchema = z.object({
  model: z.string(),
  /** The years of the pack's period; absent in plans of static packs. */
  years: z.optional(z.tuple([int, int])),
  pack_sha256: z.string(),
  covariate_files: z.optional(
    z.array(z.object({ covariate: z.string(), size: int, etag: z.optional(z.string()) })),
  ),
  window: z.object({ col: int, row: int, width: int, height: int }),
  rule: z.enum(['centre', 'touched']),
  /** It is absent if there are none. At most 3,333 triangles in a job's 10,000 vertices take 20 KB. */
  touched_parts: z.optional(z.array(int)),
  block_tiles: int,
  /** idx, col, row, width, height, points: six numbers per block keep 400 blocks under 16 KB. */
  blocks: z.array(z.tuple([int, int, int, int, int, int])),
});

/** The attributes of a plan, without its key and expiry. */
export function planItem({
  model,
  years,
  packSha256,
  covariateFiles,
  window,
  rule,
  touchedParts,
  blockTiles,
  blocks,
}: Plan): z.infer<typeof planSchema> {
  return {
    model,
    ...(years === undefined ? {} : { years }),
    pack_sha256: packSha256,
    ...(covariateFiles === undefined ? {} : { covariate_files: [...covariateFiles] }),
    window,
    rule,
    ...(touchedParts.length === 0 ? {} : { touched_parts: [...touchedParts] }),
    block_tiles: blockTiles,
    blocks: blocks.map((b) => [b.idx, b.col, b.row, b.width, b.height, b.pointCount]),
  };
}

/** @throws ZodError if the item is no plan */
export function parsePlan(item: Item): Plan {
  const stored = planSchema.parse(item);
  const { touched_parts: touchedParts = [], block_tiles: blockTiles, blocks } = stored;
  const { model, years, pack_sha256: packSha256, window, rule } = stored;
  const { covariate_files: covariateFiles } = stored;
  return {
    model,
    ...(years === undefined ? {} : { years }),
    packSha256,
    ...(covariateFiles === undefined ? {} : { covariateFiles }),
    window,
    rule,
    touchedParts,
    blockTiles,
    blocks: blocks.map(([idx, col, row, width, height, pointCount]) => ({
      idx,
      col,
      row,
      width,
      height,
      pointCount,
    })),
  };
}

const common = z.object({ patch_batch_idx: int, created_at: z.string(), updated_at: z.string() });
const state = z.discriminatedUnion('status', [
  z.object({ status: z.literal('processing') }),
  z.object({
    status: z.literal('completed'),
    predicted_point_count: int,
    inference_duration_ms: z.number(),
  }),
  z.object({
    status: z.literal('failed'),
    failure_reason: z.string(),
    failure_code: z.enum(PATCH_BATCH_FAILURE_CODES),
  }),
]);

/** @throws ZodError if the item is no patch-batch */
export function recordOf(item: Item): PatchBatchRecord {
  const { patch_batch_idx, created_at, updated_at } = common.parse(item);
  const times = { idx: patch_batch_idx, createdAt: created_at, updatedAt: updated_at };
  const outcome = state.parse(item);
  switch (outcome.status) {
    case 'processing':
      return { ...times, status: 'processing' };
    case 'completed':
      return {
        ...times,
        status: 'completed',
        predictedPoints: outcome.predicted_point_count,
        inferenceDurationMs: outcome.inference_duration_ms,
      };
    case 'failed':
      return {
        ...times,
        status: 'failed',
        failureReason: outcome.failure_reason,
        failureCode: outcome.failure_code,
      };
  }
}
