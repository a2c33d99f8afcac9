import { mapInParallel } from '../../concurrency/in-parallel.ts';
import { type Apex, buildApex } from './apex.ts';
import {
  type CogLayout,
  type LayoutOptions,
  lengthOfSegment,
  planCog,
  type Segment,
} from './layout.ts';
import { type Part, planParts } from './parts.ts';
import { buildBlockTable, type CogBlock } from './placed-block.ts';
import type { BlockSource, CogTarget, CogUpload } from './ports.ts';
import { padForHalving, type RasterDescription } from './raster.ts';
import type { BandStatistics } from './statistics.ts';

export interface Assembly extends LayoutOptions {
  /** The file may have a few more columns and rows: see `padForHalving`. */
  readonly raster: RasterDescription;
  /** Blocks may be in any order. Cells without a block become nodata. */
  readonly blocks: readonly CogBlock[];
  readonly source: BlockSource;
  readonly target: CogTarget;
}

export interface AssembledCog {
  readonly size: number;
  readonly etag: string;
  /** The number of parts of the multipart upload; 0 if the file was written in one request. */
  readonly parts: number;
  readonly statistics: readonly BandStatistics[];
}

/** Smaller files are written in one request. Twice S3's minimum part size. */
const MAX_WHOLE_BYTES = 2 * 5 * 1024 ** 2;

const JOINED_AT_ONCE = 2;

/** S3 does the copying, so each copy costs a request but no memory. */
const COPIES_AT_ONCE = 8;

/**
 * Assembles encoded blocks into one Cloud Optimized GeoTIFF, with server-side copies if the file is large. The same
 * blocks give the same bytes. On failure it aborts the upload.
 */
export async function assembleCog(assembly: Assembly): Promise<AssembledCog> {
  const { source, target } = assembly;
  const table = buildBlockTable(assembly.raster, assembly.blocks);
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
    // If the abort fails too, the bucket's lifecycle rule removes the upload.
    await upload.abort().catch(() => undefined);
    throw error;
  }
}

/** After a failure it starts no further part and awaits those in progress, so that no part outlives the abort. */
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
  // Reused, so that garbage does not add to the memory.
  const longest = joined.reduce((most, { length }) => Math.max(most, length), 0);
  const buffers = Array.from({ length: JOINED_AT_ONCE }, () => new Uint8Array(longest));
  const copyPart = ({ number, ref, offset, length }: (typeof copies)[number]): Promise<void> =>
    upload.copyPart(number, ref, offset, length);
  const uploadJoinedPart = async ({
    number,
    segments,
    length,
  }: (typeof joined)[number]): Promise<void> => {
    const buffer = buffers.pop() ?? new Uint8Array(longest);
    const bytes = buffer.subarray(0, length);
    await readSegments(segments, sources, bytes);
    await upload.uploadPart(number, bytes);
    buffers.push(buffer);
  };
  const sent = await Promise.allSettled([
    mapInParallel(copies, COPIES_AT_ONCE, unlessFailed(copyPart)),
    mapInParallel(joined, JOINED_AT_ONCE, unlessFailed(uploadJoinedPart)),
  ]);
  for (const outcome of sent) if (outcome.status === 'rejected') throw outcome.reason;
}

/** Ranges at most this far apart are read in one request. */
const NEAR_BYTES = 64 * 1024;

const READS_AT_ONCE = 8;

interface SegmentSources {
  readonly blocks: BlockSource;
  readonly apex: Pick<Apex, 'readTiles'>;
}

interface Range {
  /** The block, or null for the apex file. */
  readonly ref: string | null;
  readonly start: number;
  readonly end: number;
  readonly pieces: readonly Piece[];
}

interface Piece {
  readonly offset: number;
  readonly length: number;
  /** Position in the joined bytes. */
  readonly at: number;
}

type Stored = Piece & Pick<Range, 'ref'>;

/** Ranges of a block, or of the apex file, that lie close together are read in one request. */
async function readSegments(
  segments: readonly Segment[],
  { blocks, apex }: SegmentSources,
  joined: Uint8Array,
): Promise<void> {
  const stored: Stored[] = [];
  let at = 0;
  for (const segment of segments) {
    if (segment.kind === 'bytes') joined.set(segment.bytes, at);
    else {
      const { offset, length } = segment;
      stored.push({ ref: segment.kind === 'copy' ? segment.ref : null, offset, length, at });
    }
    at += lengthOfSegment(segment);
  }
  await mapInParallel(
    groupNearRanges(stored),
    READS_AT_ONCE,
    async ({ ref, start, end, pieces }) => {
      const [first] = pieces;
      const isSingle = first !== undefined && pieces.length === 1;
      const bytes = isSingle
        ? joined.subarray(first.at, first.at + first.length)
        : new Uint8Array(end - start);
      if (ref === null) apex.readTiles(start, bytes);
      else await blocks.readInto(ref, start, bytes);
      if (isSingle) return;
      for (const piece of pieces) {
        const from = piece.offset - start;
        joined.set(bytes.subarray(from, from + piece.length), piece.at);
      }
    },
  );
}

function groupNearRanges(stored: readonly Stored[]): readonly Range[] {
  const ranges: (Range & { end: number; readonly pieces: Piece[] })[] = [];
  for (const { ref, ...piece } of [...stored].sort(compareByPlace)) {
    const end = piece.offset + piece.length;
    const last = ranges.at(-1);
    if (last?.ref === ref && piece.offset - last.end <= NEAR_BYTES) {
      last.end = Math.max(last.end, end);
      last.pieces.push(piece);
    } else {
      ranges.push({ ref, start: piece.offset, end, pieces: [piece] });
    }
  }
  return ranges;
}

function compareByPlace(a: Stored, b: Stored): number {
  const [left, right] = [a.ref ?? '', b.ref ?? ''];
  if (left !== right) return left < right ? -1 : 1;
  return a.offset - b.offset;
}
