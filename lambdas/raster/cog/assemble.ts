import { inParallel } from '../../in-parallel.ts';
import { buildApex } from './apex.ts';
import { type CogLayout, type LayoutOptions, planCog } from './layout.ts';
import { type Part, planParts } from './parts.ts';
import { type CogBlock, tableOf } from './placed-block.ts';
import type { BlockSource, CogTarget, CogUpload } from './ports.ts';
import type { RasterDescription } from './raster.ts';
import { readSegments } from './read-segments.ts';
import type { BandStatistics } from './statistics.ts';

export interface Assembly extends LayoutOptions {
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
const MAX_WHOLE_BYTES = 2 * 5 * 1024 ** 2;

/** Each may hold a joined part (about 10 MiB) in memory. */
const PARTS_AT_ONCE = 4;

/**
 * Joins encoded blocks into one Cloud Optimized GeoTIFF, copying what it can on the target's side.
 * The same blocks give the same bytes. When it fails it leaves no upload behind.
 */
export async function assembleCog(assembly: Assembly): Promise<AssembledCog> {
  const { raster, source, target } = assembly;
  const table = tableOf(raster, assembly.blocks);
  const layout = planCog(raster, table, await buildApex(raster, table, source), assembly);
  if (layout.size < MAX_WHOLE_BYTES) {
    await target.putWhole(await readSegments(layout.segments, source));
    return { size: layout.size, parts: 0, statistics: layout.statistics };
  }
  return uploadInParts(layout, source, target);
}

async function uploadInParts(
  layout: CogLayout,
  source: BlockSource,
  target: CogTarget,
): Promise<AssembledCog> {
  const parts = planParts(layout.segments);
  const upload = await target.begin();
  try {
    await inParallel(parts.entries(), PARTS_AT_ONCE, ([i, part]) =>
      sendPart(upload, i + 1, part, source),
    );
    await upload.complete();
  } catch (error) {
    // The first failure is the one to tell; what can't be aborted falls to the bucket's lifecycle rule.
    await upload.abort().catch(() => undefined);
    throw error;
  }
  return { size: layout.size, parts: parts.length, statistics: layout.statistics };
}

async function sendPart(
  upload: CogUpload,
  number: number,
  part: Part,
  source: BlockSource,
): Promise<void> {
  if (part.kind === 'copy') return upload.copyPart(number, part.ref, part.offset, part.length);
  return upload.uploadPart(number, await readSegments(part.segments, source));
}
