import { inParallel } from '../../concurrency/in-parallel.ts';
import { buildApex } from './apex.ts';
import { type CogLayout, type LayoutOptions, planCog } from './layout.ts';
import { type Part, planParts } from './parts.ts';
import { type CogBlock, tableOf } from './placed-block.ts';
import type { BlockSource, CogTarget, CogUpload } from './ports.ts';
import { padForHalving, type RasterDescription } from './raster.ts';
import { readSegments, type SegmentSources } from './read-segments.ts';
import type { BandStatistics } from './statistics.ts';

export interface Assembly extends LayoutOptions {
  /** The file may have a few more columns and rows: see `padForHalving`. */
  readonly raster: RasterDescription;
  /** In any order. Cells without a block become nodata. */
  readonly blocks: readonly CogBlock[];
  readonly source: BlockSource;
  readonly target: CogTarget;
}

export interface AssembledCog {
  readonly size: number;
  readonly etag: string;
  /** Parts of the multipart upload; 0 if the file was written in one request. */
  readonly parts: number;
  /** Per band, over the whole raster. */
  readonly statistics: readonly BandStatistics[];
}

/** Smaller files are written in one request. Twice S3's minimum part size. */
export const MAX_WHOLE_BYTES = 2 * 5 * 1024 ** 2;

/** Each holds a joined part in memory: 6 MiB plus at most 5. */
const JOINED_AT_ONCE = 2;

/** S3 does the copy: each costs a request and no memory. */
const COPIES_AT_ONCE = 8;

/**
 * Assembles encoded blocks into one Cloud Optimized GeoTIFF, with server-side copies where possible.
 * The same blocks give the same bytes. On failure it aborts the upload.
 */
export async function assembleCog(assembly: Assembly): Promise<AssembledCog> {
  const { source, target } = assembly;
  const table = tableOf(assembly.raster, assembly.blocks);
  const raster = padForHalving(assembly.raster);
  const apex = await buildApex(raster, table, source);
  try {
    const layout = planCog(raster, table, apex, assembly);
    const sources = { blocks: source, apex };
    if (layout.size >= MAX_WHOLE_BYTES) return await uploadInParts(layout, sources, target);
    const bytes = new Uint8Array(layout.size);
    await readSegments(layout.segments, sources, bytes);
    const etag = await target.putWhole(bytes);
    return { size: layout.size, etag, parts: 0, statistics: layout.statistics };
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
    const etag = await upload.complete();
    return { size: layout.size, etag, parts: parts.length, statistics: layout.statistics };
  } catch (error) {
    // Report the first failure. If the abort fails too, the bucket's lifecycle rule removes the upload.
    await upload.abort().catch(() => undefined);
    throw error;
  }
}

/** After a failure it starts no part and awaits those in progress, so that none outlives the abort. */
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
  // Joined parts reuse the same buffers, which leaves nothing to the garbage collector.
  const longest = joined.reduce((most, { length }) => Math.max(most, length), 0);
  const buffers = Array.from({ length: JOINED_AT_ONCE }, () => new Uint8Array(longest));
  const copy = ({ number, ref, offset, length }: (typeof copies)[number]): Promise<void> =>
    upload.copyPart(number, ref, offset, length);
  const join = async ({ number, segments, length }: (typeof joined)[number]): Promise<void> => {
    const buffer = buffers.pop() ?? new Uint8Array(longest);
    const bytes = buffer.subarray(0, length);
    await readSegments(segments, sources, bytes);
    await upload.uploadPart(number, bytes);
    buffers.push(buffer);
  };
  const sent = await Promise.allSettled([
    inParallel(copies, COPIES_AT_ONCE, unlessFailed(copy)),
    inParallel(joined, JOINED_AT_ONCE, unlessFailed(join)),
  ]);
  for (const outcome of sent) if (outcome.status === 'rejected') throw outcome.reason;
}
