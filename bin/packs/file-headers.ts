import { messageOf } from '#engine/errors/message-of.ts';
import { findEpsgDefinition } from '#engine/model/covariates/place-on-grid.ts';
import { openRasterFile, type RasterFile } from '#engine/model/geotiff/raster-file.ts';
import type { Encoding } from '#engine/model/geotiff/read-cells.ts';
import {
  type FileVersion,
  type PackFiles,
  PackFileUnavailable,
} from '#engine/model/pack/pack-files.ts';

export interface LayerFiles {
  readonly name: string;
  readonly href: string | Readonly<Record<string, string>>;
  readonly band?: number | undefined;
}

export interface Header<Layer> {
  readonly covariate: Layer;
  /** The period, such as `2015-2019`; empty if the file is for all periods. */
  readonly years: string;
  readonly name: string;
  readonly grid: FileGrid;
  readonly sampleType: string;
  readonly overviews: number;
  readonly stated: Partial<Encoding>;
  readonly version: FileVersion;
}

/** A north-up grid of square cells. */
export interface FileGrid {
  readonly crs: { readonly epsg: number; readonly name: string; readonly proj4: string };
  readonly origin: readonly [number, number];
  readonly cell_size: number;
  readonly width: number;
  readonly height: number;
}

/** Rounding in a georeference may shift a file's last cell by this fraction of a cell. */
export const SAME_CELL = 1e-3;

/**
 * Reads the header of each file.
 * @param crs the CRS of the manifest's grid; without it the files must have a CRS on WGS84
 * @returns the headers, and a sentence for each file that cannot be used
 */
export async function readHeaders<Layer extends LayerFiles>(
  covariates: readonly Layer[],
  files: PackFiles,
  crs?: FileGrid['crs'],
): Promise<{ readonly headers: readonly Header<Layer>[]; readonly problems: readonly string[] }> {
  const headers: Header<Layer>[] = [];
  const problems: string[] = [];
  for (const covariate of covariates) {
    const { href } = covariate;
    for (const [years, file] of Object.entries(typeof href === 'string' ? { '': href } : href)) {
      const name = [covariate.name, years].filter((part) => part !== '').join(' ');
      try {
        headers.push({
          covariate,
          years,
          name,
          ...(await readHeader(file, covariate, files, crs)),
        });
      } catch (error) {
        problems.push(`${name}: ${messageOf(error)}`);
        // If a server does not respond now, no further file is read.
        if (error instanceof PackFileUnavailable && error.transient) return { headers, problems };
      }
    }
  }
  return { headers, problems };
}

async function readHeader(
  href: string,
  { band = 1 }: LayerFiles,
  files: PackFiles,
  crs: FileGrid['crs'] | undefined,
) {
  const raster = await openRasterFile(files, href);
  return {
    grid: readGrid(raster, crs),
    sampleType: raster.sampleType,
    overviews: raster.levels.length - 1,
    stated: await raster.readStatedEncoding(band - 1),
    version: (await files.readVersion?.(href)) ?? { size: await files.readSize(href) },
  };
}

function readGrid(
  { georeference, levels }: RasterFile,
  crs = findCrs(georeference.epsg),
): FileGrid {
  const { west, north, cellWidth, cellHeight } = georeference;
  const [full] = levels;
  if (full === undefined) throw new Error('the file has no image');
  if (Math.abs(cellWidth - cellHeight) * full.width > SAME_CELL * cellWidth) {
    throw new Error(`its cells are not square but ${cellWidth} × ${cellHeight}`);
  }
  return {
    crs,
    origin: [west, north],
    cell_size: cellWidth,
    width: full.width,
    height: full.height,
  };
}

function findCrs(epsg: number | null): FileGrid['crs'] {
  const proj4 = epsg === null ? undefined : findEpsgDefinition(epsg);
  if (epsg === null || proj4 === undefined) {
    throw new Error(
      `its CRS (${epsg === null ? 'without an EPSG code' : `EPSG:${epsg}`}) is not known to be based on WGS84; write "grid" and "coverage" into the manifest yourself`,
    );
  }
  return { epsg, name: epsg === 4326 ? 'WGS 84' : `EPSG:${epsg}`, proj4 };
}

export function formatHeader({
  name,
  grid,
  sampleType,
  overviews,
  stated,
  version,
}: Header<unknown>) {
  const { scale = 'none', offset = 'none', nodata = 'none' } = stated;
  const size = `${(version.size / 2 ** 20).toFixed(1)} MiB`;
  return `${name}: ${formatGrid(grid)}, ${sampleType}, overviews: ${overviews}; tags: scale ${scale}, offset ${offset}, nodata ${nodata}; ${size}, ETag ${version.etag ?? 'none'}`;
}

export function formatGrid({ crs, origin, cell_size, width, height }: FileGrid): string {
  return `${width} × ${height} cells of ${cell_size} from ${origin.join(', ')} (EPSG:${crs.epsg})`;
}
