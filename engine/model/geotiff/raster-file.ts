import type { PackFiles } from '../pack/pack-files.ts';
import { openBoundedBytes, withPageCache } from './bounded-bytes.ts';
import { readDirectories } from './directories.ts';
import { type Georeference, readGeoreference } from './georeference.ts';
import { type CellRectangle, type Encoding, readCells } from './read-cells.ts';
import { formatSampleType } from './samples.ts';
import { readTagNumber, readTagText, TAG, type Tags } from './tags.ts';
import {
  countUncompressedBytes,
  type FileImage,
  readTiledImage,
  type TiledImage,
} from './tiled-image.ts';

export interface RasterFile {
  readonly georeference: Georeference;
  readonly bands: number;
  /** How numbers are stored, such as `uint16`. */
  readonly sampleType: string;
  /** Full resolution, then the overviews, which have fewer cells for the same extent. */
  readonly levels: readonly RasterLevel[];
  /** Uncompressed bytes of all tiles of all levels and masks. */
  readonly uncompressedBytes: number;
  /** How the stored numbers of a band, counted from 0, become values. */
  readEncoding(band: number): Promise<Encoding>;
  /** The parts of a band's encoding that the file's tags state. */
  readStatedEncoding(band: number): Promise<Partial<Encoding>>;
  /** GDAL's metadata items of the whole file by name, such as `AREA_OR_POINT`. */
  readFileItems(): Promise<ReadonlyMap<string, string>>;
  /** GDAL's metadata items of a band, counted from 0, by name, such as `STATISTICS_MEAN`. */
  readBandItems(band: number): Promise<ReadonlyMap<string, string>>;
}

export interface RasterLevel {
  readonly width: number;
  readonly height: number;
  /** Physical values of a band, counted from 0; NaN where missing. */
  readCells(band: number, encoding: Encoding, rectangle: CellRectangle): Promise<Float32Array>;
}

/** Bits of NewSubfileType (TIFF 6.0): a reduced-resolution image, a mask. */
const REDUCED = 1;
const MASK = 4;

/** The encoding of a band without tags, and of a mask, in which 0 marks a missing cell. */
const AS_STORED: Encoding = { nodata: Number.NaN, scale: 1, offset: 0 };

let opened = 0;

/** @throws Error with a message for the raster's author, or whatever `files` throws */
export async function openRasterFile(files: PackFiles, href: string): Promise<RasterFile> {
  const bytes = await openBoundedBytes(files, href);
  const header = withPageCache(bytes);
  const directories = await readDirectories(header);
  const [full] = directories;
  if (full === undefined) throw new Error('the file has no image');
  opened += 1;
  const file = { name: `${opened}:${href}`, bytes, header };

  const images: FileImage[] = [];
  const masks: FileImage[] = [];
  for (const [level, tags] of directories.entries()) {
    const kind = await readTagNumber(tags, TAG.newSubfileType, 0);
    const isMask = (kind & MASK) !== 0;
    if (level > 0 && !isMask && (kind & REDUCED) === 0) continue;
    const tiled = await readTiledImage(tags);
    (isMask ? masks : images).push({ ...tiled, level });
  }
  images.sort((a, b) => b.width - a.width);
  const bands = await readTagNumber(full, TAG.samplesPerPixel, 1);
  const [largest] = images;
  if (largest === undefined) throw new Error('the file has no image');
  requireSameBands(images, bands);

  return {
    georeference: await readGeoreference(full),
    bands,
    sampleType: formatSampleType(largest),
    levels: images.map((image) => {
      const mask = masks.find(
        ({ width, height }) => width === image.width && height === image.height,
      );
      return {
        width: image.width,
        height: image.height,
        async readCells(band, encoding, rectangle) {
          const values = await readCells(file, image, band, encoding, rectangle);
          if (mask === undefined) return values;
          const present = await readCells(file, mask, 0, AS_STORED, rectangle);
          return values.map((value, i) => (present[i] === 0 ? Number.NaN : value));
        },
      };
    }),
    uncompressedBytes: [...images, ...masks].reduce(
      (sum, image) => sum + countUncompressedBytes(image),
      0,
    ),
    readEncoding: async (band) => ({ ...AS_STORED, ...(await parseStatedEncoding(full, band)) }),
    readStatedEncoding: (band) => parseStatedEncoding(full, band),
    readFileItems: () => parseItems(full),
    readBandItems: (band) => parseItems(full, band),
  };
}

function requireSameBands(images: readonly TiledImage[], bands: number): void {
  if (images.some((image) => image.bands !== bands)) {
    throw new Error('its overviews do not have as many bands as its full-resolution image');
  }
}

/**
 * An item of GDAL_METADATA, such as `<Item name="SCALE" sample="0" role="scale">0.5</Item>`. The
 * pattern does not backtrack: 16 MiB of unterminated items must not take hours.
 */
const ITEM = /<Item\s([^<>]*)>([^<>]*)<\/Item>/g;

/** GDAL_NODATA is text; SCALE and OFFSET are per-band items of GDAL_METADATA. */
async function parseStatedEncoding(tags: Tags, band: number): Promise<Partial<Encoding>> {
  const nodata = await readTagText(tags, TAG.gdalNodata);
  const items = await parseItems(tags, band);
  return {
    ...(nodata === undefined ? {} : { nodata: Number(nodata.trim()) }),
    ...(items.has('SCALE') ? { scale: parseNumberItem(items, 'SCALE') } : {}),
    ...(items.has('OFFSET') ? { offset: parseNumberItem(items, 'OFFSET') } : {}),
  };
}

/** The last item with a name wins. */
async function parseItems(tags: Tags, band?: number): Promise<ReadonlyMap<string, string>> {
  const items = new Map<string, string>();
  const metadata = (await readTagText(tags, TAG.gdalMetadata)) ?? '';
  for (const [, attributes = '', text = ''] of metadata.matchAll(ITEM)) {
    const name = findAttribute(attributes, 'name');
    const sample = findAttribute(attributes, 'sample');
    const isWanted = band === undefined ? sample === undefined : Number(sample) === band;
    if (name !== undefined && isWanted) items.set(name, unescapeItem(text));
  }
  return items;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&amp;': '&',
};

/** Unescapes an item's value twice, because GDAL escapes it once more than XML requires. */
export function unescapeItem(escaped: string): string {
  return unescapeXml(unescapeXml(escaped));
}

function unescapeXml(text: string): string {
  return text.replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? entity);
}

function findAttribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}=(?:"([^"]*)"|'([^']*)')`).exec(attributes);
  return found?.[1] ?? found?.[2];
}

function parseNumberItem(items: ReadonlyMap<string, string>, item: string): number {
  const text = items.get(item) ?? '';
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value)) throw new Error(`its ${item} is "${text}", not a number`);
  return value;
}
