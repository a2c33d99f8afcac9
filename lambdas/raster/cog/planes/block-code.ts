import { BITS_BESIDE, END_OF_BLOCK, LENGTH_SYMBOLS, SYMBOLS } from './alphabet.ts';
import { canonicalCodes, codeLengths } from './huffman.ts';

/** Four literals and seven bits that wait fit a word of 64 bits; RFC 1951 would allow 15. */
const MOST_CODE_BITS = 14;

/** The code of blocks with dynamic Huffman codes, and the bits such a block begins with. */
export interface BlockCode {
  readonly header: BitString;
  /** Entry of a byte; of a run (at 256 + its length − 3) with its extra bits and its distance. */
  readonly entries: Uint32Array;
  readonly endOfBlock: number;
  /** Of all the symbols that were counted, without headers and ends. */
  readonly bits: number;
}

export interface BitString {
  readonly bytes: Uint8Array;
  readonly bits: number;
}

/** Bits below, how many they are in the uppermost byte. */
const entryOf = (code: number, bits: number): number => code | (bits << 24);
export const entryBits = (entry: number): number => entry >>> 24;

export const ENTRIES = 512;

/** @param counts of each symbol; an end of block is added. Not empty. */
export function blockCode(counts: Uint32Array): BlockCode {
  const withEnd = counts.slice();
  withEnd[END_OF_BLOCK] = 1;
  const lengths = codeLengths(withEnd, MOST_CODE_BITS);
  const codes = canonicalCodes(lengths);
  const entries = new Uint32Array(ENTRIES);
  for (let byte = 0; byte < 256; byte += 1) {
    entries[byte] = entryOf(codes[byte] ?? 0, lengths[byte] ?? 0);
  }
  for (const [i, { symbol, extraBits, extra }] of LENGTH_SYMBOLS.entries()) {
    const length = lengths[symbol] ?? 0;
    if (length === 0) continue;
    // The distance is 1, its code one bit: 0.
    entries[256 + i] = entryOf((codes[symbol] ?? 0) | (extra << length), length + extraBits + 1);
  }
  let bits = 0;
  for (let symbol = 0; symbol < SYMBOLS; symbol += 1) {
    bits += (counts[symbol] ?? 0) * ((lengths[symbol] ?? 0) + (BITS_BESIDE[symbol] ?? 0));
  }
  const endOfBlock = entryOf(codes[END_OF_BLOCK] ?? 0, lengths[END_OF_BLOCK] ?? 0);
  return { header: headerOf(lengths), entries, endOfBlock, bits };
}

/** In the order in which their own lengths are written (RFC 1951, section 3.2.7). */
const LENGTH_CODES = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const REPEAT_BITS: Readonly<Record<number, number>> = { 16: 2, 17: 3, 18: 7 };

/** BFINAL 0, BTYPE 2 and the code's lengths (RFC 1951, section 3.2.7), with one distance code of one bit. */
function headerOf(lengths: Uint8Array): BitString {
  const used = lengths.findLastIndex((length) => length > 0) + 1;
  const tokens = [...runsOf([...lengths.subarray(0, used), 1])];
  const counts = new Uint32Array(19);
  for (const { code } of tokens) counts[code] = (counts[code] ?? 0) + 1;
  const codeLengthsOf = codeLengths(counts, 7);
  const codes = canonicalCodes(codeLengthsOf);
  const listed = LENGTH_CODES.findLastIndex((code) => (codeLengthsOf[code] ?? 0) > 0) + 1;
  const out = new BitWriter();
  out.put(0b100, 3);
  out.put(used - 257, 5);
  out.put(0, 5);
  out.put(listed - 4, 4);
  for (const code of LENGTH_CODES.slice(0, listed)) out.put(codeLengthsOf[code] ?? 0, 3);
  for (const { code, extra } of tokens) {
    out.put(codes[code] ?? 0, codeLengthsOf[code] ?? 0);
    out.put(extra, REPEAT_BITS[code] ?? 0);
  }
  return out.string();
}

interface LengthToken {
  readonly code: number;
  readonly extra: number;
}

/** Lengths as they are, or repeated: 16 the one before 3 to 6 times, 17 and 18 zeros 3 to 138 times. */
function* runsOf(lengths: readonly number[]): Generator<LengthToken> {
  for (let at = 0; at < lengths.length; ) {
    const length = lengths[at] ?? 0;
    let run = 1;
    while (lengths[at + run] === length) run += 1;
    at += run;
    if (length !== 0) {
      yield { code: length, extra: 0 };
      run -= 1;
    }
    for (const most = length === 0 ? 138 : 6; run >= 3; ) {
      const now = Math.min(run, most);
      if (length !== 0) yield { code: 16, extra: now - 3 };
      else if (now <= 10) yield { code: 17, extra: now - 3 };
      else yield { code: 18, extra: now - 11 };
      run -= now;
    }
    for (; run > 0; run -= 1) yield { code: length, extra: 0 };
  }
}

class BitWriter {
  private readonly bytes: number[] = [];
  private bits = 0;

  put(value: number, count: number): void {
    for (let i = 0; i < count; i += 1) {
      if (this.bits % 8 === 0) this.bytes.push(0);
      const last = this.bytes.length - 1;
      this.bytes[last] = (this.bytes[last] ?? 0) | (((value >> i) & 1) << (this.bits % 8));
      this.bits += 1;
    }
  }

  string(): BitString {
    return { bytes: Uint8Array.from(this.bytes), bits: this.bits };
  }
}
