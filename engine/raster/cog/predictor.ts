import type { SampleArray } from './sample-type.ts';

/**
 * Applies the TIFF predictor to a row of samples and writes it to `out` at `at`. Assumes a
 * little-endian platform, like all that the service runs on.
 */
export function predictRow(row: SampleArray, bands: number, out: Uint8Array, at: number): void {
  if (row instanceof Float32Array) predictFloats(row, bands, out, at);
  else if (row instanceof Uint8Array) predictBytes(row, bands, out, at);
  else predictShorts(row, bands, out, at);
}

/** Predictor 2 (TIFF 6.0, section 14): each sample minus that of the previous cell. */
function predictBytes(row: Uint8Array, bands: number, out: Uint8Array, at: number): void {
  out.set(row.subarray(0, bands), at);
  for (let i = bands; i < row.length; i += 1) {
    out[at + i] = (row[i] ?? 0) - (row[i - bands] ?? 0);
  }
}

function predictShorts(
  row: Int16Array | Uint16Array,
  bands: number,
  out: Uint8Array,
  at: number,
): void {
  for (let i = 0; i < row.length; i += 1) {
    const difference = (row[i] ?? 0) - (i < bands ? 0 : (row[i - bands] ?? 0));
    out[at + i * 2] = difference;
    out[at + i * 2 + 1] = difference >> 8;
  }
}

/**
 * Predictor 3 (Adobe Photoshop TIFF Technical Note 3, 2005): groups the bytes of equal significance
 * into planes, most significant first, then subtracts from each byte the one `bands` before it. The
 * four differences of a sample are computed in one word without borrows between bytes (SWAR
 * subtraction: Warren, Hacker's Delight, 2nd ed., section 2–18).
 */
function predictFloats(row: Float32Array, bands: number, out: Uint8Array, at: number): void {
  const words = new Int32Array(row.buffer, row.byteOffset, row.length);
  const samples = words.length;
  const [first, second, third, fourth] = [at, at + samples, at + 2 * samples, at + 3 * samples];
  for (let i = bands; i < samples; i += 1) {
    const word = words[i] ?? 0;
    const before = words[i - bands] ?? 0;
    const apart = ((word | 0x80808080) - (before & 0x7f7f7f7f)) ^ ((word ^ ~before) & 0x80808080);
    out[first + i] = apart >>> 24;
    out[second + i] = apart >>> 16;
    out[third + i] = apart >>> 8;
    out[fourth + i] = apart;
  }
  // The first bytes of a plane follow the last bytes of the previous plane.
  for (let i = 0; i < bands; i += 1) {
    const word = words[i] ?? 0;
    const last = words[samples - bands + i] ?? 0;
    out[first + i] = word >>> 24;
    out[second + i] = (word >>> 16) - (last >>> 24);
    out[third + i] = (word >>> 8) - (last >>> 16);
    out[fourth + i] = word - (last >>> 8);
  }
}
