import { lengthOfSegment, type Segment } from './layout.ts';

/** The quotas are listed in https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html. */
export interface PartLimits {
  /** S3: 5 MiB, except for the last part. */
  readonly minPartBytes: number;
  /** S3 allows 5 GiB. */
  readonly maxPartBytes: number;
  /** S3 allows 10,000. */
  readonly maxParts: number;
  /** S3: 5 TiB (the newer limit is higher, but not available everywhere). */
  readonly maxObjectBytes: number;
  /** Our own: size up to which short segments are read and joined in memory. */
  readonly joinedBytes: number;
}

export const S3_PART_LIMITS: PartLimits = {
  minPartBytes: 5 * 1024 ** 2,
  maxPartBytes: 5 * 1024 ** 3,
  maxParts: 10_000,
  maxObjectBytes: 5 * 1024 ** 4,
  joinedBytes: 6 * 1024 ** 2,
};

export type Part =
  | { readonly kind: 'upload'; readonly segments: readonly Segment[]; readonly length: number }
  | {
      readonly kind: 'copy';
      readonly ref: string;
      readonly offset: number;
      readonly length: number;
    };

/** @throws RangeError if S3 cannot store the file */
export function planParts(
  segments: readonly Segment[],
  limits: PartLimits = S3_PART_LIMITS,
): Part[] {
  const size = segments.reduce((sum, segment) => sum + lengthOfSegment(segment), 0);
  if (size > limits.maxObjectBytes) {
    throw new RangeError(`a file of ${size} bytes; S3 accepts at most ${limits.maxObjectBytes}`);
  }
  // Joined parts grow with the file, because the number of parts is limited.
  const joined = Math.max(limits.joinedBytes, Math.ceil(size / (limits.maxParts / 2)));
  const parts = groupSegments(segments, limits, joined);
  if (parts.length > limits.maxParts) {
    throw new RangeError(`${parts.length} parts; S3 accepts at most ${limits.maxParts}`);
  }
  return parts;
}

function groupSegments(segments: readonly Segment[], limits: PartLimits, joined: number): Part[] {
  const parts: Part[] = [];
  let pending: Segment[] = [];
  let length = 0;
  const hold = (segment: Segment): void => {
    pending.push(segment);
    length += lengthOfSegment(segment);
    if (length >= joined) flush();
  };
  const flush = (): void => {
    if (length > 0) parts.push({ kind: 'upload', segments: pending, length });
    pending = [];
    length = 0;
  };
  for (const segment of segments) {
    if (segment.kind !== 'copy') {
      hold(segment);
      continue;
    }
    // The head of the range extends the pending segments to the minimum part size.
    const head = length === 0 ? 0 : Math.max(limits.minPartBytes - length, 0);
    if (segment.length - head < limits.minPartBytes) {
      hold(segment);
      continue;
    }
    if (head > 0) hold({ ...segment, length: head });
    flush();
    parts.push(
      ...splitCopy(
        { ...segment, offset: segment.offset + head, length: segment.length - head },
        limits,
      ),
    );
  }
  flush();
  return parts;
}

/** Splits a range evenly, so that no part is too small. */
function splitCopy(range: Extract<Segment, { kind: 'copy' }>, limits: PartLimits): Part[] {
  const parts = Math.ceil(range.length / limits.maxPartBytes);
  return Array.from({ length: parts }, (_, i) => {
    const start = Math.floor((range.length * i) / parts);
    const end = Math.floor((range.length * (i + 1)) / parts);
    return { kind: 'copy', ref: range.ref, offset: range.offset + start, length: end - start };
  });
}
