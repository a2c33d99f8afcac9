import { inParallel } from '../../concurrency/in-parallel.ts';
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

/** Each holds a joined part in memory: 6 MiB and at most 5 more. */
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
    const bytes = new Uint8Array(layout.size);
    await readSegments(layout.segments, sources, bytes);
    await target.putWhole(bytes);
    return { size: layout.size, parts: 0, statistics: layout.statistics };
  } finally {
    apex.close();
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
  const unlessFailed =
    <P>(send: (part: P) => Promise<void>) =>
    async (part: P): Promise<void> => {
      if (failed) return;
      try {
        await send(part);
      } catch (error) {
        failed = true;
        throw error;
      }
    };
  const numbered = parts.map((part, i) => ({ ...part, number: i + 1 }));
  const copies = numbered.filter((part) => part.kind === 'copy');
  const joined = numbered.filter((part) => part.kind === 'upload');
  // Joined parts are made in the same memory again and again: none waits to be collected.
  const longest = joined.reduce((most, { length }) => Math.max(most, length), 0);
  const rooms = Array.from({ length: JOINED_AT_ONCE }, () => new Uint8Array(longest));
  const copy = ({ number, ref, offset, length }: (typeof copies)[number]): Promise<void> =>
    upload.copyPart(number, ref, offset, length);
  const join = async ({ number, segments, length }: (typeof joined)[number]): Promise<void> => {
    const room = rooms.pop() ?? new Uint8Array(longest);
    const bytes = room.subarray(0, length);
    await readSegments(segments, sources, bytes);
    await upload.uploadPart(number, bytes);
    rooms.push(room);
  };
  const sent = await Promise.allSettled([
    inParallel(copies, COPIES_AT_ONCE, unlessFailed(copy)),
    inParallel(joined, JOINED_AT_ONCE, unlessFailed(join)),
  ]);
  for (const outcome of sent) if (outcome.status === 'rejected') throw outcome.reason;
}
