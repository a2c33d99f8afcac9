import type { CellKind, Cells } from './cells.ts';
import { type Compression, compress } from './compression.ts';
import { predictRow } from './predictor.ts';
import { SAMPLES, samplesOf } from './sample-type.ts';

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
  encode(source: Cells, col: number, row: number): Uint8Array;
  /** A tile of nodata only. */
  readonly nodataTile: Uint8Array;
}

export function tileEncoder(kind: TileKind): TileEncoder {
  const { tileSize, bands, sampleType, nodata, compression } = kind;
  const row = samplesOf(sampleType, tileSize * bands);
  const rowBytes = row.byteLength;
  const tile = new Uint8Array(tileSize * rowBytes);
  let nodataTile: Uint8Array | undefined;

  function encode(source: Cells, col: number, top: number): Uint8Array {
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
    encode,
    get nodataTile() {
      nodataTile ??= encode({ cells: samplesOf(sampleType, 0), width: 0, height: 0 }, 0, 0);
      return nodataTile;
    },
  };
}

/** Writes a tile between its leader and trailer; returns the end offset. */
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
