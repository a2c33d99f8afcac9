import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthOfSegment, type Segment } from '../../../engine/raster/cog/layout.ts';
import { type Part, planParts, S3_PART_LIMITS } from '../../../engine/raster/cog/parts.ts';

const MIB = 1024 ** 2;
const copy = (ref: string, offset: number, length: number): Segment => ({
  kind: 'copy',
  ref,
  offset,
  length,
});
const bytes = (length: number): Segment => ({ kind: 'bytes', bytes: new Uint8Array(length) });

const partLength = (part: Part): number => part.length;

describe('the parts of an upload', () => {
  it('respect S3’s sizes and keep every byte in order', () => {
    const length = fc.oneof(
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 4 * MIB, max: 12 * MIB }),
      fc.integer({ min: 5 * 1024 * MIB - 3, max: 30 * 1024 * MIB }),
    );
    const segment = fc.oneof(
      length.map((n): Segment => copy('block', 7, n)),
      fc.integer({ min: 1, max: 3000 }).map(bytes),
    );
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1, maxLength: 60 }), (segments) => {
        const parts = planParts(segments);
        expect(parts.map(partLength).reduce((a, b) => a + b)).toBe(
          segments.map(lengthOfSegment).reduce((a, b) => a + b),
        );
        for (const [i, part] of parts.entries()) {
          expect(part.length).toBeLessThanOrEqual(S3_PART_LIMITS.maxPartBytes);
          if (i + 1 < parts.length) {
            expect(part.length).toBeGreaterThanOrEqual(S3_PART_LIMITS.minPartBytes);
          }
        }
        expect(rangesOf(parts)).toEqual(rangesOf([{ kind: 'upload', segments, length: 0 }]));
      }),
    );
  });

  it('are copied if a range is long enough, and joined otherwise', () => {
    const parts = planParts([
      bytes(1000),
      copy('a', 0, 20 * MIB),
      copy('b', 0, 6 * MIB),
      copy('c', 0, MIB),
    ]);
    expect(parts.map(({ kind, length }) => [kind, length])).toEqual([
      ['upload', 5 * MIB],
      ['copy', 15 * MIB + 1000],
      ['copy', 6 * MIB],
      ['upload', MIB],
    ]);
  });

  it('are rejected if there are more than 10,000', () => {
    const ranges = Array.from({ length: 10_001 }, (_, i) => copy(`b${i}`, 0, 6 * MIB));
    expect(() => planParts(ranges)).toThrow(/10001 parts.* 10000/);
  });

  it('are rejected for an object above 5 TiB', () => {
    expect(() => planParts([copy('a', 0, 5 * 1024 ** 4 + 1)])).toThrow(String(5 * 1024 ** 4));
  });
});

function rangesOf(parts: readonly Part[]): string[] {
  const ranges: { ref: string; offset: number; length: number }[] = [];
  for (const part of parts) {
    for (const segment of part.kind === 'copy' ? [part] : part.segments) {
      const next =
        segment.kind === 'copy'
          ? { ref: segment.ref, offset: segment.offset, length: segment.length }
          : { ref: '', offset: 0, length: lengthOfSegment(segment) };
      const last = ranges.at(-1);
      if (
        last !== undefined &&
        next.ref !== '' &&
        last.ref === next.ref &&
        last.offset + last.length === next.offset
      ) {
        last.length += next.length;
      } else ranges.push(next);
    }
  }
  return ranges.map(({ ref, offset, length }) => `${ref} ${offset}+${length}`);
}
