import type { CellKind, Cells } from './cells.ts';
import { type Compression, compress } from './compression.ts';
import { createSamples, SAMPLES, type SampleArray } from './sample-type.ts';

/** The leader is the tile's size, the trailer repeats its last 4 bytes (GDAL's COG driver, "ghost area"). */
export const LEADER_BYTES = 4;
export const TRAILER_BYTES = 4;

export interface TileKind extends CellKind {
  /** Edge of a tile in cells. */
  readonly tileSize: number;
  readonly compression: Compression;
}

/** Encodes tiles as TIFF stores them: after the predictor, compressed. */
export interface TileEncoder {
  /** The tile at (col, row) of `source`, padded with nodata beyond its edge. */
  encodeTile(source: Cells, col: number, row: number): Uint8Array;
  readonly nodataTile: Uint8Array;
}

export function createTileEncoder(kind: TileKind): TileEncoder {
  const { tileSize, bands, sampleType, nodata, compression } = kind;
  const row = createSamples(sampleType, tileSize * bands);
  const rowBytes = row.byteLength;
  const tile = new Uint8Array(tileSize * rowBytes);
  let nodataTile: Uint8Array | undefined;

  function encodeTile(source: Cells, col: number, top: number): Uint8Array {
    const width = Math.max(Math.min(tileSize, source.width - col), 0);
    const height = Math.max(Math.min(tileSize, source.height - top), 0);
    row.fill(nodata);
    for (let y = 0; y < height; y += 1) {
      const from = ((top + y) * source.width + col) * bands;
      row.set(source.cells.subarray(from, from + width * bands));
      predictRow(row, bands, tile, y * rowBytes);
    }
    if (height < tileSize) {
      row.fill(nodata);
      predictRow(row, bands, tile, height * rowBytes);
      for (let y = height + 1; y < tileSize; y += 1) {
        tile.copyWithin(y * rowBytes, (y - 1) * rowBytes, y * rowBytes);
      }
    }
    return compress(tile, compression, sampleType);
  }

  return {
    encodeTile,
    get nodataTile() {
      nodataTile ??= encodeTile({ cells: createSamples(sampleType, 0), width: 0, height: 0 }, 0, 0);
      return nodataTile;
    },
  };
}

/** Returns the end offset. */
export function writeFramed(data: Uint8Array, into: Buffer, offset: number): number {
  into.writeUInt32LE(data.length, offset);
  into.set(data, offset + LEADER_BYTES);
  into.set(data.subarray(-TRAILER_BYTES), offset + LEADER_BYTES + data.length);
  return offset + framedLength(data.length);
}

export function frameTile(data: Uint8Array): Uint8Array {
  const framed = Buffer.allocUnsafeSlow(framedLength(data.length));
  writeFramed(data, framed, 0);
  return framed;
}

export function framedLength(dataLength: number): number {
  return LEADER_BYTES + dataLength + TRAILER_BYTES;
}

/** Upper bound: data that does not compress grows by less (zlib: 5 bytes per 16 kB plus 6; zstd: 1/256). */
export function maxTileBytes({
  tileSize,
  bands,
  sampleType,
}: Omit<TileKind, 'compression' | 'nodata'>): number {
  const raw = tileSize ** 2 * bands * SAMPLES[sampleType].bytes;
  return raw + Math.ceil(raw / 256) + 64;
}

function predictRow(row: SampleArray, bands: number, out: Uint8Array, at: number): void {
  if (row instanceof Float32Array) predictFloats(row, bands, out, at);
  else if (row instanceof Uint8Array) predictBytes(row, bands, out, at);
  else predictShorts(row, bands, out, at);
}

/** Predictor 2 (TIFF 6.0, section 14): each sample minus the previous cell's sample. */
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
 * Predictor 3 (Adobe Photoshop TIFF Technical Note 3, 2005): groups the bytes of equal significance into
 * planes, most significant first, then subtracts from each byte the byte `bands` positions before it. The four
 * differences of a sample are computed in one word without borrows between bytes (SWAR subtraction: Warren,
 * Hacker's Delight, 2nd ed., section 2–18).
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
