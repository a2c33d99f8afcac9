import { constants, deflateSync } from 'node:zlib';
import { type Cells, emptyCells } from './cells.ts';
import { predictFloats } from './float-predictor.ts';

/** A tile's size stands before it and its last 4 bytes again after it (GDAL's COG driver, "ghost area"). */
export const LEADER_BYTES = 4;
export const TRAILER_BYTES = 4;

/**
 * Run lengths only: the predictor leaves long runs, and this is several times faster than matching
 * at a few percent more bytes.
 */
const DEFLATE = { level: 6, strategy: constants.Z_RLE, memLevel: 9 } as const;

/** One tile's data as TIFF stores it: predictor 3, DEFLATE (zlib format, compression 8). */
export function encodeTile(tile: Cells, bands: number): Uint8Array {
  return deflateSync(predictFloats(tile.cells, tile.width, bands), DEFLATE);
}

/** Tiles of nothing, where no block is: all the same. */
export function encodeNodataTile(tileSize: number, bands: number, nodata: number): Uint8Array {
  return encodeTile(emptyCells(tileSize, tileSize, bands, nodata), bands);
}

/** With its leader and trailer, ready to stand in the file. */
export function frameTile(data: Uint8Array): Uint8Array {
  const framed = new Uint8Array(LEADER_BYTES + data.length + TRAILER_BYTES);
  new DataView(framed.buffer).setUint32(0, data.length, true);
  framed.set(data, LEADER_BYTES);
  framed.set(data.subarray(-TRAILER_BYTES), LEADER_BYTES + data.length);
  return framed;
}

export function framedLength(dataLength: number): number {
  return LEADER_BYTES + dataLength + TRAILER_BYTES;
}
