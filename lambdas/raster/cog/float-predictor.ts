/**
 * TIFF predictor 3 (Adobe Photoshop TIFF Technical Note 3, 2005), a row at a time: bytes of equal
 * weight stand together, most significant first; then each byte minus the one `bands` before it.
 */
export function predictFloats(cells: Float32Array, rowCells: number, bands: number): Uint8Array {
  const samples = rowCells * bands;
  const rowBytes = samples * 4;
  const source = new Uint8Array(cells.buffer, cells.byteOffset, cells.byteLength);
  const out = new Uint8Array(source.length);
  for (let row = 0; row < source.length; row += rowBytes) {
    // Float32Array is little-endian on every platform Node runs on here (x64, arm64).
    for (let byte = 0; byte < 4; byte += 1) {
      const plane = row + (3 - byte) * samples;
      let from = row + byte;
      for (let to = plane; to < plane + samples; to += 1) {
        out[to] = source[from] ?? 0;
        from += 4;
      }
    }
    for (let i = row + rowBytes - 1; i >= row + bands; i -= 1) {
      out[i] = (out[i] ?? 0) - (out[i - bands] ?? 0);
    }
  }
  return out;
}
