import * as z from 'zod/mini';
import type { Plan } from '../../domain/patch-batch/patch-batch.ts';
import type { Item } from './table.ts';

const int = z.int();

const planSchema = z.object({
  model: z.string(),
  /** The years of the pack's period; absent in plans for packs without periods. */
  years: z.optional(z.tuple([int, int])),
  pack_sha256: z.string(),
  covariate_files: z.optional(
    z.array(z.object({ covariate: z.string(), size: int, etag: z.optional(z.string()) })),
  ),
  window: z.object({ col: int, row: int, width: int, height: int }),
  rule: z.enum(['centre', 'touched']),
  /** Absent if `rule` applies to the whole polygon. */
  touched_parts: z.optional(z.array(int)),
  block_tiles: int,
  /** Each block is [idx, col, row, width, height, points]. */
  blocks: z.array(z.tuple([int, int, int, int, int, int])),
});

/** Without the item's key and TTL. */
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

/** @throws ZodError if the item is not a plan */
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
