import { inParallel } from '../../in-parallel.ts';
import { buildApex } from './apex.ts';
import { type CogLayout, type LayoutOptions, planCog } from './layout.ts';
import { type Part, planParts } from './parts.ts';
import { type CogBlock, tableOf } from './placed-block.ts';
import type { BlockSource, CogTarget, CogUpload } from './ports.ts';
import { evenlyHalved, type RasterDescription } from './raster.ts';
import { readSegments, type SegmentSources } from './read-segments.ts';
import type { BandStatistics } from './statistics.ts';

export interface Assembly extends LayoutOptions {
  /** The file may have a few more columns and rows: see `evenlyHalved`. */
  readonly raster: RasterDescription;
  /** In any order; places without one become nodata. */
  readonly blocks: readonly CogBlock[];
  readonly source: BlockSource;
  readonly target: CogTarget;
}

export interface AssembledCog {
  readonly size: number;
  /** Parts of the multipart upload; 0 when the file was written whole. */
  readonly parts: number;
  /** By band, over the whole raster. */
  readonly statistics: readonly BandStatistics[];
}

/** Smaller files are one request. Twice S3's least part: below it there is nothing to divide. */
export const MAX_WHOLE_BYTES = 2 * 5 * 1024 ** 2;

/** Each holds a joined part (6 MiB and what was read for it) in memory. */
const JOINED_AT_ONCE = 2;

/** S3's own work: a request each, and nothing in memory. */
const COPIES_AT_ONCE = 8;

/**
 * Joins encoded blocks into one Cloud Optimized GeoTIFF, copying what it can on the target's side.
 * The same blocks give the same bytes. When it fails it leaves no upload behind.
 */
export async function assembleCog(assembly: Assembly): Promise<AssembledCog> {
  const { source, target } = assembly;
  const table = tableOf(assembly.raster, assembly.blocks);
  const raster = evenlyHalved(assembly.raster);
  const apex = await buildApex(raster, table, source);
  try {
    const layout = planCog(raster, table, apex, assembly);
    const sources = { blocks: source, apex };
    if (layout.size >= MAX_WHOLE_BYTES) return await uploadInParts(layout, sources, target);
    await target.putWhole(await readSegments(layout.segments, sources));
    return { size: layout.size, parts: 0, statistics: layout.statistics };
  } finally {
    await apex.close();
  }
}

async function uploadInParts(
  layout: CogLayout,
  sources: SegmentSources,
  target: CogTarget,
): Promise<AssembledCog> {
  const parts = planParts(layout.segments);
  const upload = await target.begin();
  try {
    await sendParts(upload, parts, sources);
    await upload.complete();
  } catch (error) {
    // The first failure is the one to tell; what can't be aborted falls to the bucket's lifecycle rule.
    await upload.abort().catch(() => undefined);
    throw error;
  }
  return { size: layout.size, parts: parts.length, statistics: layout.statistics };
}

/** After a failure none is begun; those under way are awaited, so that nothing outlives an abort. */
async function sendParts(
  upload: CogUpload,
  parts: readonly Part[],
  sources: SegmentSources,
): Promise<void> {
  let failed = false;
  const send = async ([i, part]: readonly [number, Part]): Promise<void> => {
    if (failed) return;
    try {
      await sendPart(upload, i + 1, part, sources);
    } catch (error) {
      failed = true;
      throw error;
    }
  };
  const ofKind = (kind: Part['kind']) =>
    [...parts.entries()].filter(([, part]) => part.kind === kind);
  const sent = await Promise.allSettled([
    inParallel(ofKind('copy'), COPIES_AT_ONCE, send),
    inParallel(ofKind('upload'), JOINED_AT_ONCE, send),
  ]);
  for (const outcome of sent) if (outcome.status === 'rejected') throw outcome.reason;
}

async function sendPart(
  upload: CogUpload,
  number: number,
  part: Part,
  sources: SegmentSources,
): Promise<void> {
  if (part.kind === 'copy') return upload.copyPart(number, part.ref, part.offset, part.length);
  return upload.uploadPart(number, await readSegments(part.segments, sources));
}
