import { COMPRESSION_TAG } from './compression.ts';
import { type Field, ifdLength, writeIfd } from './ifd.ts';
import { buildGdalMetadata } from './metadata.ts';
import { type Level, type RasterDescription, tileKindOf } from './raster.ts';
import { SAMPLES } from './sample-type.ts';
import type { BandStatistics } from './statistics.ts';

/** File offsets and sizes of a level's tiles, row-major, without leaders and trailers. */
export interface TileTable {
  readonly offsets: Float64Array;
  readonly byteCounts: Float64Array;
}

/**
 * GDAL's "ghost area": guarantees to readers about the layout of tiles. All of them must be true.
 * https://gdal.org/en/stable/drivers/raster/cog.html#header-ghost-area
 */
const GUARANTEES =
  'LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n' +
  'BLOCK_TRAILER=LAST_4_BYTES_REPEATED\nKNOWN_INCOMPATIBLE_EDITION=NO\n ';
const GHOST_AREA = `GDAL_STRUCTURAL_METADATA_SIZE=${String(GUARANTEES.length).padStart(6, '0')} bytes\n${GUARANTEES}`;

export interface HeaderShape {
  readonly raster: RasterDescription;
  readonly levels: readonly Level[];
  readonly statistics: readonly BandStatistics[];
  readonly bigTiff: boolean;
  /** Requires tiles in row-major order. */
  readonly ghostArea: boolean;
}

export function headerLength(header: HeaderShape): number {
  let length = firstIfdOffset(header);
  for (const level of header.levels) {
    const none = new Float64Array(level.cols * level.rows);
    const fields = listFields(header, level, { offsets: none, byteCounts: none });
    length += ifdLength(fields, header.bigTiff);
  }
  return length;
}

export function writeHeader(header: HeaderShape, tables: readonly TileTable[]): Uint8Array {
  const bytes = new Uint8Array(headerLength(header));
  const view = new DataView(bytes.buffer);
  let offset = firstIfdOffset(header);
  bytes.set([0x49, 0x49], 0);
  view.setUint16(2, header.bigTiff ? 43 : 42, true);
  if (header.bigTiff) {
    view.setUint16(4, 8, true);
    view.setBigUint64(8, BigInt(offset), true);
  } else {
    view.setUint32(4, offset, true);
  }
  if (header.ghostArea) {
    bytes.set(new TextEncoder().encode(GHOST_AREA), signatureLength(header.bigTiff));
  }
  for (const [i, level] of header.levels.entries()) {
    const table = tables[i];
    if (table === undefined) throw new RangeError(`no tile table for level ${i}`);
    const fields = listFields(header, level, table);
    const end = offset + ifdLength(fields, header.bigTiff);
    const next = i + 1 < header.levels.length ? end : 0;
    bytes.set(writeIfd(fields, offset, next, header.bigTiff), offset);
    offset = end;
  }
  return bytes;
}

function firstIfdOffset({ bigTiff, ghostArea }: HeaderShape): number {
  const length = signatureLength(bigTiff) + (ghostArea ? GHOST_AREA.length : 0);
  return length + (length % 2);
}

function signatureLength(bigTiff: boolean): number {
  return bigTiff ? 16 : 8;
}

/**
 * Tags of TIFF 6.0 (317: section 14, 339: section 19), of Technical Note 3 (the predictor of floats), of GeoTIFF and
 * of GDAL (42112, 42113).
 */
function listFields(header: HeaderShape, level: Level, table: TileTable): Field[] {
  const { raster } = header;
  const kind = tileKindOf(raster);
  const { bytes, format, predictor } = SAMPLES[kind.sampleType];
  const perBand = (value: number): number[] => raster.bands.map(() => value);
  const shortField = (tag: number, ...values: number[]): Field => ({ tag, type: 'short', values });
  const longField = (tag: number, values: ArrayLike<number>): Field => ({
    tag,
    type: 'long',
    values,
  });
  const fields: Field[] = [
    longField(256, [level.width]),
    longField(257, [level.height]),
    shortField(258, ...perBand(bytes * 8)),
    shortField(259, COMPRESSION_TAG[kind.compression]),
    shortField(262, 1), // black is zero
    shortField(277, raster.bands.length),
    shortField(284, 1), // bands interleaved by pixel
    shortField(317, predictor),
    shortField(322, raster.tileSize),
    shortField(323, raster.tileSize),
    { tag: 324, type: header.bigTiff ? 'long8' : 'long', values: table.offsets },
    longField(325, table.byteCounts),
    shortField(339, ...perBand(format)),
    { tag: 42113, type: 'ascii', text: String(kind.nodata) },
  ];
  // Extra samples of unspecified meaning: TIFF knows only one sample for "black is zero".
  if (raster.bands.length > 1) fields.push(shortField(338, ...perBand(0).slice(1)));
  if (level.level > 0) return [longField(254, [1]), ...fields];
  return [
    ...fields,
    ...listGeoFields(raster),
    { tag: 42112, type: 'ascii', text: buildGdalMetadata(raster, header.statistics) },
  ];
}

const MODEL_PIXEL_SCALE = 33550;
const MODEL_TIEPOINT = 33922;
const GEO_KEY_DIRECTORY = 34735;
const GEO_ASCII_PARAMS = 34737;

/** OGC GeoTIFF 1.1 (19-008r4), chapter 7: key codes and their values. */
const KEY = { modelType: 1024, rasterType: 1025, citation: 1026, geodetic: 2048, projected: 3072 };
const MODEL_PROJECTED = 1;
const MODEL_GEOGRAPHIC = 2;
const PIXEL_IS_AREA = 1;

/** The largest EPSG code of a GeoKey. */
const MAX_EPSG = 32_766;

function listGeoFields({ crs, origin, cellSize }: RasterDescription): Field[] {
  if (crs.epsg < 1024 || crs.epsg > MAX_EPSG) {
    throw new RangeError(`EPSG:${crs.epsg}: a GeoKey holds codes from 1024 to ${MAX_EPSG}`);
  }
  // GeoTIFF 1.1 stores text as ASCII, terminated by "|".
  const citation = `${crs.name.replace(/[^\x20-\x7e]|\|/g, '?')}|`;
  const keys = [
    [KEY.modelType, 0, 1, crs.geographic ? MODEL_GEOGRAPHIC : MODEL_PROJECTED],
    [KEY.rasterType, 0, 1, PIXEL_IS_AREA],
    [KEY.citation, GEO_ASCII_PARAMS, citation.length, 0],
    [crs.geographic ? KEY.geodetic : KEY.projected, 0, 1, crs.epsg],
  ];
  return [
    { tag: MODEL_PIXEL_SCALE, type: 'double', values: [cellSize, cellSize, 0] },
    { tag: MODEL_TIEPOINT, type: 'double', values: [0, 0, 0, origin[0], origin[1], 0] },
    { tag: GEO_KEY_DIRECTORY, type: 'short', values: [1, 1, 1, keys.length, ...keys.flat()] },
    { tag: GEO_ASCII_PARAMS, type: 'ascii', text: citation },
  ];
}
