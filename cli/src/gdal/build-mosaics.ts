import * as z from 'zod';
import { escapedXml, type Gdal, GdalError } from './gdal.ts';

export interface Mosaic {
  readonly file: string;
  /** Rasters of one grid, within the folder. */
  readonly rasters: readonly string[];
}

export interface BuildMosaicsTask {
  readonly kind: 'build-mosaics';
  /** On the machine: GDAL reads the rasters there, because only their headers are needed. */
  readonly folder: string;
  readonly mosaics: readonly Mosaic[];
}

export type BuildMosaicsResult =
  | { readonly outcome: 'built'; readonly texts: readonly string[] }
  | { readonly outcome: 'failed'; readonly reason: string };

const FOLDER = '/mosaics';
const RASTERS = 'rasters';

/** Virtual rasters (VRT), with paths relative to the folder. */
export function buildMosaics(
  gdal: Gdal,
  { folder, mosaics }: BuildMosaicsTask,
): BuildMosaicsResult {
  try {
    gdal.makeFolder(FOLDER);
    gdal.mount(folder, `${FOLDER}/${RASTERS}`);
    return { outcome: 'built', texts: mosaics.map((one) => textOf(gdal, one)) };
  } catch (error) {
    if (!(error instanceof GdalError)) throw error;
    return { outcome: 'failed', reason: error.message };
  }
}

function textOf(gdal: Gdal, { file, rasters }: Mosaic): string {
  const [first = '', ...others] = rasters.map((name) => `${FOLDER}/${RASTERS}/${name}`);
  // `strict`: a raster that does not fit is an error, not left out with a warning.
  const text = gdal.buildVrt(`${FOLDER}/${file}`, [first, ...others], ['-strict']);
  const relative = text.replaceAll(`relativeToVRT="1">${RASTERS}/`, 'relativeToVRT="1">');
  return withDescriptions(relative, descriptionsOf(gdal, first));
}

const rasterInfo = z.object({
  bands: z.array(z.object({ band: z.number(), description: z.string().default('') })),
});

function descriptionsOf(gdal: Gdal, path: string): ReadonlyMap<string, string> {
  const { bands } = rasterInfo.parse(gdal.rasterInfo(path));
  return new Map(bands.map(({ band, description }) => [String(band), description]));
}

/** GDAL copies the names of bands only since 3.9, and this is 3.8. */
function withDescriptions(text: string, descriptions: ReadonlyMap<string, string>): string {
  return text.replace(/<VRTRasterBand [^>]*band="(\d+)"[^>]*>/g, (tag, band: string) => {
    const description = descriptions.get(band) ?? '';
    return description === '' ? tag : `${tag}<Description>${escapedXml(description)}</Description>`;
  });
}
