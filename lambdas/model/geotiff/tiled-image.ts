import type { GeoTIFFImage } from 'geotiff';
import { COMPRESSIONS } from './decompress.ts';
import type { Directory, TagTable } from './directories.ts';
import { type SampleLayout, sampleBytes, storedBytes, unreadable } from './samples.ts';

/** One resolution of a raster: how its cells are cut into tiles and where those lie. */
export interface TiledImage extends SampleLayout {
  readonly width: number;
  readonly height: number;
  /** Cells of a tile; a strip is a tile as wide as the image, whose last one may be lower. */
  readonly tileWidth: number;
  readonly tileHeight: number;
  readonly isTiled: boolean;
  readonly across: number;
  readonly down: number;
  /** Bands of the file. */
  readonly bands: number;
  /** Samples of a cell that lie side by side: all bands, or one where planes hold them apart. */
  readonly stride: number;
  readonly compression: number;
  readonly offsets: TagTable;
  readonly byteCounts: TagTable;
}

/** One tile in memory. GDAL's COGs have 1 MiB; a file of one whole strip of 4,096² float32 has 64. */
const MAX_TILE_BYTES = 64 * 2 ** 20;

/**
 * What a directory says of its image, believed only as far as it agrees with itself.
 * Throws `Error` in words for the raster's author.
 */
export async function tiledImage(
  image: GeoTIFFImage,
  { offsets, byteCounts }: Directory,
  littleEndian: boolean,
): Promise<TiledImage> {
  const tags = image.fileDirectory;
  const tag = async (name: 'Compression' | 'Predictor'): Promise<number> =>
    Number((await tags.loadValue(name)) ?? 1);
  const [width, height] = [image.getWidth(), image.getHeight()];
  const [tileWidth, tileHeight] = [image.getTileWidth(), image.getTileHeight()];
  if (![width, height, tileWidth, tileHeight].every((n) => Number.isInteger(n) && n >= 1)) {
    throw new Error(`it has ${width} × ${height} cells in tiles of ${tileWidth} × ${tileHeight}`);
  }
  const bands = image.getSamplesPerPixel();
  const stride = tags.getValue('PlanarConfiguration') === 2 ? 1 : bands;
  const [across, down] = [Math.ceil(width / tileWidth), Math.ceil(height / tileHeight)];
  const tiles = across * down * (stride === 1 ? bands : 1);
  if (offsets === undefined || byteCounts === undefined) throw new Error('it has no tile table');
  if (!(Math.min(offsets.count, byteCounts.count) >= tiles)) {
    throw new Error(`its tile table has ${offsets.count} entries for ${tiles} tiles`);
  }
  const layout = {
    bits: sameForAll('bits', [...(tags.getValue('BitsPerSample') ?? [1])]),
    format: sameForAll('format', [...(tags.getValue('SampleFormat') ?? [1])]),
    predictor: await tag('Predictor'),
    littleEndian,
  };
  const problem = unreadable(layout);
  if (problem !== undefined) throw new Error(`its ${problem} can't be read`);
  const compression = await tag('Compression');
  if (COMPRESSIONS[compression] === undefined) {
    const known = [...new Set(Object.values(COMPRESSIONS))].join(', ');
    throw new Error(`its compression has the number ${compression}; readable are ${known}`);
  }
  const bytes = storedBytes(layout.bits, tileWidth * stride, tileHeight);
  if (!(bands >= 1 && bytes <= MAX_TILE_BYTES)) {
    throw new Error(
      `its tiles of ${tileWidth} × ${tileHeight} cells have ${bytes} bytes, allowed are ${MAX_TILE_BYTES}`,
    );
  }
  const isTiled = image.isTiled;
  return {
    ...layout,
    ...{ width, height, tileWidth, tileHeight, isTiled, across, down },
    ...{ bands, stride, compression, offsets, byteCounts },
  };
}

/** Bytes of all its tiles, unpacked. */
export function unpackedBytes(image: TiledImage): number {
  const { across, down, bands, tileWidth, tileHeight } = image;
  return across * down * bands * tileWidth * tileHeight * sampleBytes(image);
}

/** The rows that a tile stores: a strip ends with the image, a tile never. */
export function storedRows({ isTiled, tileHeight, height }: TiledImage, row: number): number {
  return isTiled ? tileHeight : Math.min(tileHeight, height - row * tileHeight);
}

function sameForAll(what: string, values: readonly unknown[]): number {
  const [first] = values;
  if (typeof first !== 'number' || values.some((value) => value !== first)) {
    throw new Error(`its bands differ in ${what} (${values.slice(0, 8).join(', ')})`);
  }
  return first;
}
