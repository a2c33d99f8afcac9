import { predictRow } from '../predictor.ts';
import { LEAST_MATCH, LEAST_RUN, LENGTH_SYMBOLS, MOST_MATCH, SYMBOLS } from './alphabet.ts';
import { type BlockCode, entryBits } from './block-code.ts';
import {
  type BlockPlan,
  KINDS,
  MOST_STORED_BYTES,
  PLANES,
  type PlanesShape,
  STORED,
  type Tally,
  type TilePlanes,
  ZLIB_HEADER,
} from './tile-planes.ts';

/** `planes.wat` in plain words: what it must equal to the byte. */
export function plainPlanes({ rows, rowSamples, bands }: PlanesShape): TilePlanes {
  const row = new Float32Array(rowSamples);
  const rowBytes = rowSamples * PLANES;
  const bytes = new Uint8Array(rows * rowBytes);
  return {
    row,
    predict: (y) => predictRow(row, bands, bytes, y * rowBytes),
    repeat: (y) => {
      bytes.copyWithin(y * rowBytes, (y - 1) * rowBytes, y * rowBytes);
    },
    tally: () => tallyPlanes(bytes, rowSamples),
    write: (plan) => writePlanes(bytes, rowSamples, plan),
  };
}

function tallyPlanes(bytes: Uint8Array, planeBytes: number): Tally {
  const kinds = new Uint8Array(bytes.length / planeBytes);
  const counts = Array.from({ length: KINDS }, () => new Uint32Array(SYMBOLS));
  for (let plane = 0; plane < kinds.length; plane += 1) {
    const [from, end] = [plane * planeBytes, (plane + 1) * planeBytes];
    const kind = kindOf(bytes, from, end);
    kinds[plane] = kind;
    const ofKind = counts[kind];
    if (ofKind === undefined) continue;
    for (const entry of entriesOf(bytes, from, end)) {
      const symbol = entry < 256 ? entry : (LENGTH_SYMBOLS[entry - 256]?.symbol ?? 0);
      ofKind[symbol] = (ofKind[symbol] ?? 0) + 1;
    }
  }
  return { kinds, counts };
}

function kindOf(bytes: Uint8Array, from: number, end: number): number {
  let equal = 0;
  for (let at = from; at < end; at += 1) if (bytes[at] === bytes[at - 1]) equal += 1;
  const all = end - from;
  if (equal * 8 >= all * 7) return 0;
  if (equal * 2 >= all) return 1;
  if (equal * 8 >= all) return 2;
  return equal * 32 >= all ? 3 : 4;
}

/**
 * Bytes, and at 256 + length − 3 runs: where eight bytes equal the one before, as far as that goes.
 * Elsewhere eight bytes at a time are literals, whatever they are: what that loses is little, for
 * such bytes have the shortest codes.
 */
function* entriesOf(bytes: Uint8Array, from: number, end: number): Generator<number> {
  let at = from;
  while (at + LEAST_RUN <= end) {
    let stop = at;
    while (stop < end && bytes[stop] === bytes[at - 1]) stop += 1;
    if (stop - at < LEAST_RUN) {
      for (stop = at + LEAST_RUN; at < stop; at += 1) yield bytes[at] ?? 0;
      continue;
    }
    for (let left = stop - at; left > 0; ) {
      const length = matchOf(left);
      yield 256 + length - LEAST_MATCH;
      left -= length;
    }
    at = stop;
  }
  for (; at < end; at += 1) yield bytes[at] ?? 0;
}

/** What it leaves of a longer run can be a match again. */
function matchOf(run: number): number {
  if (run <= MOST_MATCH) return run;
  return run - MOST_MATCH < LEAST_MATCH ? MOST_MATCH - LEAST_MATCH : MOST_MATCH;
}

function writePlanes(
  bytes: Uint8Array,
  planeBytes: number,
  { kinds, codeOfKind, codes }: BlockPlan,
): Uint8Array {
  const out = new BitWriter();
  for (const byte of ZLIB_HEADER) out.put(byte, 8);
  let open: BlockCode | undefined;
  for (let plane = 0; plane < kinds.length; ) {
    const number = codeOfKind[kinds[plane] ?? 0] ?? STORED;
    const code = codes[number];
    if (open !== undefined && open !== code) out.putEntry(open.endOfBlock);
    const first = plane;
    while (plane < kinds.length && codeOfKind[kinds[plane] ?? 0] === number) plane += 1;
    if (code === undefined) {
      out.putStored(bytes.subarray(first * planeBytes, plane * planeBytes));
    } else {
      for (let bit = 0; bit < code.header.bits; bit += 1) {
        out.put((code.header.bytes[bit >> 3] ?? 0) >> (bit & 7), 1);
      }
      for (let each = first; each < plane; each += 1) {
        for (const entry of entriesOf(bytes, each * planeBytes, (each + 1) * planeBytes)) {
          out.putEntry(code.entries[entry] ?? 0);
        }
      }
    }
    open = code;
  }
  if (open !== undefined) out.putEntry(open.endOfBlock);
  // The last block is an empty one with fixed codes (RFC 1951, section 3.2.6).
  out.put(0b011, 3);
  out.put(0, 7);
  out.align();
  const sum = adler32(bytes);
  for (const shift of [24, 16, 8, 0]) out.put(sum >>> shift, 8);
  return out.bytes();
}

/** RFC 1950, section 8.2. */
function adler32(bytes: Uint8Array): number {
  let [a, b] = [1, 0];
  for (const byte of bytes) {
    a = (a + byte) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

class BitWriter {
  private readonly written: number[] = [];
  private waiting = 0;
  private bits = 0;

  put(value: number, count: number): void {
    for (let bit = 0; bit < count; bit += 1) {
      this.waiting |= ((value >>> bit) & 1) << this.bits;
      this.bits += 1;
      if (this.bits === 8) this.align();
    }
  }

  putEntry(entry: number): void {
    this.put(entry, entryBits(entry));
  }

  putStored(bytes: Uint8Array): void {
    for (let from = 0; from < bytes.length; from += MOST_STORED_BYTES) {
      const piece = bytes.subarray(from, from + MOST_STORED_BYTES);
      this.put(0, 3);
      this.align();
      this.put(piece.length, 16);
      this.put(~piece.length, 16);
      for (const byte of piece) this.written.push(byte);
    }
  }

  align(): void {
    if (this.bits > 0) this.written.push(this.waiting);
    [this.waiting, this.bits] = [0, 0];
  }

  bytes(): Uint8Array {
    return Uint8Array.from(this.written);
  }
}
