import { inParallel } from '../../concurrency/in-parallel.ts';
import type { Apex } from './apex.ts';
import { lengthOf, type Segment } from './layout.ts';
import type { BlockSource } from './ports.ts';

/** Ranges at most this far apart are read in one request, which is cheaper than two. */
const NEAR_BYTES = 64 * 1024;

/** Concurrent requests. */
const READS_AT_ONCE = 8;

/** The sources of the segments' bytes. */
export interface SegmentSources {
  readonly blocks: BlockSource;
  readonly apex: Pick<Apex, 'read'>;
}

/** One read request, and the pieces of it to copy. */
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

/**
 * Fills `joined` with the bytes of the segments, one after another. Ranges of a block that lie close
 * together are read in one request.
 */
export async function readSegments(
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
    at += lengthOf(segment);
  }
  await inParallel(nearRanges(stored), READS_AT_ONCE, async ({ ref, start, end, pieces }) => {
    const [first] = pieces;
    const isSingle = first !== undefined && pieces.length === 1;
    const bytes = isSingle
      ? joined.subarray(first.at, first.at + first.length)
      : new Uint8Array(end - start);
    if (ref === null) apex.read(start, bytes);
    else await blocks.read(ref, start, bytes);
    if (isSingle) return;
    for (const piece of pieces) {
      const from = piece.offset - start;
      joined.set(bytes.subarray(from, from + piece.length), piece.at);
    }
  });
}

function nearRanges(stored: readonly Stored[]): readonly Range[] {
  const ranges: (Range & { end: number; readonly pieces: Piece[] })[] = [];
  for (const { ref, ...piece } of [...stored].sort(byPlace)) {
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

function byPlace(a: Stored, b: Stored): number {
  const [left, right] = [a.ref ?? '', b.ref ?? ''];
  if (left !== right) return left < right ? -1 : 1;
  return a.offset - b.offset;
}
