import { inParallel } from '../../in-parallel.ts';
import { lengthOf, type Segment } from './layout.ts';
import type { BlockSource } from './ports.ts';

/** Two ranges this near are read as one: a request costs more than these bytes. */
const NEAR_BYTES = 64 * 1024;

/** Requests under way at once. */
const READS_AT_ONCE = 8;

interface Range {
  readonly ref: string;
  readonly start: number;
  readonly end: number;
}

/** The bytes of some stretches, one after another, with few reads: near ranges of a block go together. */
export async function readSegments(
  segments: readonly Segment[],
  source: BlockSource,
): Promise<Uint8Array> {
  const ranges = nearRanges(segments);
  const read = new Map<Range, Uint8Array>();
  await inParallel(ranges, READS_AT_ONCE, async (range) => {
    const bytes = await source.read(range.ref, range.start, range.end - range.start);
    if (bytes.length !== range.end - range.start) {
      throw new RangeError(
        `${range.ref} gave ${bytes.length} bytes at ${range.start}, not ${range.end - range.start}`,
      );
    }
    read.set(range, bytes);
  });

  const joined = new Uint8Array(segments.reduce((sum, segment) => sum + lengthOf(segment), 0));
  let offset = 0;
  for (const segment of segments) {
    joined.set(segment.kind === 'bytes' ? segment.bytes : cut(segment, ranges, read), offset);
    offset += lengthOf(segment);
  }
  return joined;
}

function nearRanges(segments: readonly Segment[]): Range[] {
  const wanted = segments
    .filter((segment) => segment.kind === 'copy')
    .map(({ ref, offset, length }): Range => ({ ref, start: offset, end: offset + length }))
    .sort((a, b) => (a.ref < b.ref ? -1 : a.ref > b.ref ? 1 : a.start - b.start));
  const ranges: Range[] = [];
  for (const range of wanted) {
    const last = ranges.at(-1);
    if (last?.ref === range.ref && range.start - last.end <= NEAR_BYTES) {
      ranges[ranges.length - 1] = { ...last, end: Math.max(last.end, range.end) };
    } else {
      ranges.push(range);
    }
  }
  return ranges;
}

function cut(
  segment: Extract<Segment, { kind: 'copy' }>,
  ranges: readonly Range[],
  read: ReadonlyMap<Range, Uint8Array>,
): Uint8Array {
  const end = segment.offset + segment.length;
  const range = ranges.find(
    (one) => one.ref === segment.ref && one.start <= segment.offset && one.end >= end,
  );
  const bytes = range === undefined ? undefined : read.get(range);
  if (range === undefined || bytes === undefined) throw new RangeError('a range was not read');
  return bytes.subarray(segment.offset - range.start, end - range.start);
}
