import { messageOf } from '../../errors/message-of.ts';
import { openRasterFile, type RasterFile } from '../geotiff/raster-file.ts';
import type { Encoding } from '../geotiff/read-cells.ts';
import type { Manifest, RasterCovariate } from '../pack/manifest.ts';
import type { Pack } from '../pack/pack.ts';
import { chooseEncoding, chooseHref, listPeriodHrefs } from '../pack/periods.ts';
import { type CellWindow, type PlacedRaster, placeOnGrid } from './place-on-grid.ts';
import { resample } from './resample.ts';

/** The covariate with this name in the manifest cannot be read. `reason` is meant for the pack's author. */
export class CovariateUnavailable extends Error {
  override readonly name = 'CovariateUnavailable';
  readonly covariate: string;
  readonly reason: string;

  constructor(covariate: string, reason: string, options?: ErrorOptions) {
    super(`covariate "${covariate}" is unavailable: ${reason}`, options);
    this.covariate = covariate;
    this.reason = reason;
  }
}

export interface CovariateRaster {
  /**
   * The fractions of a column and a row by which the raster's cells are shifted from the grid's. The usual cause is a
   * wrong georeference in the file. Null if they are not shifted, or if cell size or CRS differ from the grid's.
   */
  readonly offset: readonly [cols: number, rows: number] | null;
  /** The encoding that the file's tags state, and the encoding in use: the manifest takes precedence. */
  readonly encoding: { readonly stated: Partial<Encoding>; readonly used: Encoding };
  /** The smallest difference between two values that the file can hold; 0 for floating-point samples. */
  readonly step: number;
  /** Physical values of the window's cells, row-major; NaN where missing. */
  readWindow(window: CellWindow): Promise<Float32Array>;
}

/** Tolerance, in cells, for rounding in a georeference. */
const SAME_CELL = 1e-3;

/** Opened files by pack: covariates in the same file share its header and tiles. */
const files = new WeakMap<Pack, Map<string, Promise<RasterFile>>>();

/** @throws CovariateUnavailable, also from `readWindow` */
export async function openCovariateRaster(
  pack: Pack,
  covariate: RasterCovariate,
): Promise<CovariateRaster> {
  return withCovariateName(covariate.name, async () => {
    const file = await openSharedFile(pack, chooseHref(covariate, pack));
    const { readWindow, ...raster } = await fitToGrid(file, covariate, pack);
    return {
      ...raster,
      readWindow: (window) => withCovariateName(covariate.name, () => readWindow(window)),
    };
  });
}

/** Uncompressed bytes of all tiles of the pack's rasters, of all periods; Infinity if one cannot be opened. */
export async function countCovariateBytes(pack: Pack): Promise<number> {
  const hrefs = pack.manifest.covariates.flatMap((covariate) =>
    covariate.kind === 'raster' ? listPeriodHrefs(covariate) : [],
  );
  const sizes = await Promise.all(
    [...new Set(hrefs)].map((href) =>
      openSharedFile(pack, href).then(
        (file) => file.uncompressedBytes,
        () => Number.POSITIVE_INFINITY,
      ),
    ),
  );
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

async function fitToGrid(
  file: RasterFile,
  covariate: RasterCovariate,
  pack: Pack,
): Promise<CovariateRaster> {
  const { grid } = pack.manifest;
  if (covariate.band > file.bands) {
    throw new Error(
      `the file has ${file.bands} band(s), but the manifest names band ${covariate.band}`,
    );
  }
  const band = covariate.band - 1;
  const used = { ...(await file.readEncoding(band)), ...chooseEncoding(covariate, pack) };
  const encoding = { stated: await file.readStatedEncoding(band), used };
  const step = file.sampleType.startsWith('float') ? 0 : Math.abs(used.scale);
  const difference = describeGridDifference(file, grid);
  const [full] = file.levels;
  if (difference === undefined && covariate.crs === undefined && full !== undefined) {
    const readWindow = (window: CellWindow) => full.readCells(band, used, window);
    return { offset: null, encoding, step, readWindow };
  }
  const { resampling } = covariate;
  if (resampling === undefined) {
    throw new Error(
      `its grid differs from the pack's (${difference ?? '"crs" is given'}): set "resampling" to resample it`,
    );
  }
  const placed = placeOnGrid(file, covariate, grid);
  const cells = (rectangle: CellWindow) => placed.level.readCells(band, used, rectangle);
  return {
    offset: measureOffset(placed),
    encoding,
    step,
    readWindow: (window) => resample(placed, resampling, cells, window),
  };
}

function measureOffset({ isAligned, positionOf }: PlacedRaster): CovariateRaster['offset'] {
  const [[col, row], [nextCol, nextRow]] = [positionOf(0, 0), positionOf(1, 1)];
  const isOneCell = (length: number): boolean => Math.abs(length - 1) <= SAME_CELL;
  if (!isAligned || !isOneCell(nextCol - col) || !isOneCell(nextRow - row)) return null;
  const [cols, rows] = [col - Math.round(col), row - Math.round(row)];
  return Math.hypot(cols, rows) <= SAME_CELL ? null : [cols, rows];
}

function openSharedFile(pack: Pack, href: string): Promise<RasterFile> {
  const known = files.get(pack) ?? new Map<string, Promise<RasterFile>>();
  files.set(pack, known);
  const file = known.get(href) ?? openRasterFile(pack.files, href);
  known.set(href, file);
  // After a failure, which may be transient, the next call tries again.
  file.catch(() => known.delete(href));
  return file;
}

/** Makes the next opening of each of the pack's files read its header again. */
export function closeRasterFiles(pack: Pack): void {
  files.delete(pack);
}

/** Throws {@link CovariateUnavailable} with the covariate's name for whatever the action throws. */
export async function withCovariateName<T>(
  covariate: string,
  action: () => Promise<T>,
): Promise<T> {
  try {
    return await action();
  } catch (error) {
    const reason = messageOf(error);
    throw new CovariateUnavailable(covariate, reason, { cause: error });
  }
}

/** Tolerance, in cells, for rounding of origins and cell sizes in text. */
const TOLERANCE = 1e-3;

/** Undefined if the raster's grid does not differ from the pack's. */
function describeGridDifference(
  { georeference, levels }: RasterFile,
  { crs, origin, cell_size, width, height }: Manifest['grid'],
): string | undefined {
  const { epsg, west, north, cellWidth, cellHeight } = georeference;
  const [full] = levels;
  if (full?.width !== width || full.height !== height) {
    return `${full?.width} × ${full?.height} cells, not ${width} × ${height}`;
  }
  if (epsg !== null && epsg !== crs.epsg) return `EPSG:${epsg}, not EPSG:${crs.epsg}`;
  // The tolerance applies at the far corner.
  const stretch = Math.max(
    Math.abs(cellWidth - cell_size) * width,
    Math.abs(cellHeight - cell_size) * height,
  );
  if (!(stretch <= TOLERANCE * cell_size)) {
    return `cells of ${cellWidth} × ${cellHeight}, not ${cell_size}`;
  }
  const shift = Math.max(Math.abs(west - origin[0]), Math.abs(north - origin[1]));
  if (!(shift <= TOLERANCE * cell_size)) {
    return `origin ${west}, ${north}, not ${origin.join(', ')}`;
  }
  return undefined;
}
