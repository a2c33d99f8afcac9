const CLEAR = 256;
const END = 257;
const FIRST_FREE = 258;
const LARGEST = 4096;

/**
 * Decodes LZW (TIFF 6.0, section 13): codes of 9 to 12 bits, most significant bit first; the width
 * increases one code early.
 * @throws RangeError if the codes are invalid or expand to more than `limit` bytes
 */
export function decodeLzw(codes: Uint8Array, limit: number): Uint8Array {
  const out = new Uint8Array(limit);
  // Each entry is a run of bytes in the output, plus one byte.
  const start = new Int32Array(LARGEST);
  const length = new Int32Array(LARGEST);
  let filled = 0;
  let free = FIRST_FREE;
  let width = 9;
  let previous = -1;
  let previousAt = 0;
  let bits = 0;
  let held = 0;

  for (const byte of codes) {
    held = (held << 8) | byte;
    bits += 8;
    if (bits < width) continue;
    bits -= width;
    const code = (held >>> bits) & ((1 << width) - 1);
    held &= (1 << bits) - 1;

    if (code === END) break;
    if (code === CLEAR) {
      [free, width, previous] = [FIRST_FREE, 9, -1];
      continue;
    }
    const at = filled;
    if (code < CLEAR) {
      if (filled >= limit) throw tooManyBytesError(limit);
      out[filled++] = code;
    } else {
      // An unknown code must be the one that is being defined: the previous run and its first byte.
      const known = code < free;
      if (!known && (code !== free || previous < 0))
        throw new RangeError('a tile has an invalid LZW code');
      const from = known ? (start[code] ?? 0) : previousAt;
      const count = known ? (length[code] ?? 0) : at - previousAt + 1;
      if (filled + count > limit) throw tooManyBytesError(limit);
      for (let i = 0; i < count; i += 1) out[filled++] = out[from + i] ?? 0;
    }
    if (previous >= 0 && free < LARGEST) {
      start[free] = previousAt;
      length[free] = at - previousAt + 1;
      free += 1;
      if (free + 1 >= 1 << width && width < 12) width += 1;
    }
    previous = code;
    previousAt = at;
  }
  return out.subarray(0, filled);
}

export function tooManyBytesError(limit: number): RangeError {
  return new RangeError(`a tile decompresses to more than ${limit} bytes`);
}
