import * as z from 'zod';
import { definitionOf } from '#engine/model/covariates/place-on-grid.ts';
import { openRasterFile, type RasterFile } from '#engine/model/geotiff/raster-file.ts';
import { localManifestSchema } from '#engine/model/pack/manifest.ts';
import type { PackFiles } from '#engine/model/pack/pack-files.ts';
import { CommandError } from '../operator/command.ts';

/** What an unfrozen manifest must have; the frozen one is validated as a whole. */
const unfrozen = z.looseObject({
  graph: z
    .undefined({ error: 'a pack with a graph has the grid of its training: write it yourself' })
    .optional(),
  covariates: z
    .array(
      z.looseObject({
        kind: z.literal('raster'),
        name: z.string(),
        href: z.union([z.string(), z.record(z.string(), z.string())]),
        scale: z.union([z.number(), z.record(z.string(), z.number())]).optional(),
        nodata: z.union([z.number(), z.record(z.string(), z.number())]).optional(),
        band: z.int().min(1).optional(),
      }),
    )
    .min(1),
});

export interface Frozen {
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Sentences about what the files' headers say. */
  readonly findings: readonly string[];
}

/** Tile and largest block, for fields: small windows read little. */
const CUT = { tile_size: 256, block_tiles: 4 };

/**
 * A published map's manifest with the grid, the coverage, and each covariate's scale and nodata, as the
 * headers of its files state them.
 * @throws CommandError for files that contradict each other or the manifest, or state too little
 */
export async function freeze(json: unknown, files: PackFiles): Promise<Frozen> {
  const parsed = unfrozen.safeParse(json);
  if (!parsed.success) throw new CommandError(`manifest.json: ${z.prettifyError(parsed.error)}`, 1);
  const { covariates, coverage } = parsed.data;
  const headers: Header[] = [];
  for (const covariate of covariates) headers.push(...(await headersOf(covariate, files)));
  const [first] = headers;
  if (first === undefined) throw new CommandError('the manifest names no file', 1);
  for (const header of headers) requireSameGrid(first, header);
  const manifest = {
    ...parsed.data,
    grid: { ...first.grid, ...CUT },
    coverage: coverage ?? coverageOf(first.grid),
    covariates: covariates.map((covariate) => {
      const own = headers.filter((header) => header.covariate === covariate);
      return { ...covariate, ...agreed(own, 'scale'), ...agreed(own, 'nodata') };
    }),
  };
  const checked = z.safeParse(localManifestSchema, manifest);
  if (!checked.success)
    throw new CommandError(`manifest.json: ${z.prettifyError(checked.error)}`, 1);
  return { manifest, findings: headers.map(findingOf) };
}

/** The header of a covariate's file for a period; the period is empty if the file is for all. */
interface Header {
  readonly covariate: UnfrozenCovariate;
  readonly years: string;
  readonly name: string;
  readonly grid: FileGrid;
  readonly overviews: number;
  readonly stated: { readonly scale?: number; readonly nodata?: number };
}

type UnfrozenCovariate = z.infer<typeof unfrozen>['covariates'][number];

async function headersOf(
  covariate: UnfrozenCovariate,
  files: PackFiles,
): Promise<readonly Header[]> {
  const { href, band = 1 } = covariate;
  const headers: Header[] = [];
  for (const [years, file] of Object.entries(typeof href === 'string' ? { '': href } : href)) {
    const name = [covariate.name, years].filter((part) => part !== '').join(' ');
    const raster = await openRasterFile(files, file).catch((error: unknown) => {
      throw new CommandError(`${name}: ${error instanceof Error ? error.message : error}`, 1);
    });
    const stated = await raster.statedEncoding(band - 1);
    const overviews = raster.levels.length - 1;
    headers.push({ covariate, years, name, grid: gridOf(name, raster), overviews, stated });
  }
  return headers;
}

function findingOf({ name, grid, overviews, stated }: Header): string {
  const { scale = 'none', nodata = 'none' } = stated;
  return `${name}: ${textOf(grid)}, ${overviews} overviews; tags: scale ${scale}, nodata ${nodata}`;
}

interface FileGrid {
  readonly crs: { readonly epsg: number; readonly name: string; readonly proj4: string };
  readonly origin: readonly [number, number];
  readonly cell_size: number;
  readonly width: number;
  readonly height: number;
}

/** Parts of a cell that a georeference loses by rounding, over the whole file. */
const SAME_CELL = 1e-3;

function gridOf(name: string, { georeference, levels }: RasterFile): FileGrid {
  const { epsg, west, north, cellWidth, cellHeight } = georeference;
  const [full] = levels;
  const proj4 = epsg === null ? undefined : definitionOf(epsg);
  if (full === undefined || epsg === null || proj4 === undefined) {
    throw new CommandError(
      `${name}: its CRS (EPSG:${epsg ?? 'none'}) is not one on WGS84: write "grid" yourself`,
      1,
    );
  }
  if (Math.abs(cellWidth - cellHeight) * full.width > SAME_CELL * cellWidth) {
    throw new CommandError(`${name}: its cells of ${cellWidth} × ${cellHeight} are not square`, 1);
  }
  return {
    crs: { epsg, name: epsg === 4326 ? 'WGS 84' : `EPSG:${epsg}`, proj4 },
    origin: [west, north],
    cell_size: cellWidth,
    width: full.width,
    height: full.height,
  };
}

/** All files have one grid: nothing is resampled. */
function requireSameGrid(first: Header, other: Header): void {
  const [a, b] = [first.grid, other.grid];
  const off = Math.max(
    Math.abs(a.origin[0] - b.origin[0]),
    Math.abs(a.origin[1] - b.origin[1]),
    Math.abs(a.cell_size - b.cell_size) * a.width,
  );
  const isSame = a.crs.epsg === b.crs.epsg && a.width === b.width && a.height === b.height;
  if (isSame && off <= SAME_CELL * a.cell_size) return;
  throw new CommandError(
    `${other.name} has ${textOf(b)}, but ${first.name} ${textOf(a)}: make a pack of each grid`,
    1,
  );
}

function textOf({ crs, origin, cell_size, width, height }: FileGrid): string {
  return `${width} × ${height} cells of ${cell_size} from ${origin.join(', ')} (EPSG:${crs.epsg})`;
}

/**
 * The manifest's value or the files', for each period unless all have the same. None for files whose nodata
 * is NaN, which JSON cannot state: NaN is missing anyway.
 */
function agreed(
  headers: readonly Header[],
  what: 'scale' | 'nodata',
): Readonly<Record<string, unknown>> {
  const values = headers.map((header): [string, number] => [header.years, agreedIn(header, what)]);
  const [only, ...others] = new Set(values.map(([, value]) => value));
  if (values.some(([, value]) => Number.isNaN(value))) return {};
  return { [what]: others.length === 0 ? only : Object.fromEntries(values) };
}

/** The file and the manifest may each state the value: one must, and both must be equal. */
function agreedIn({ name, years, covariate, stated }: Header, what: 'scale' | 'nodata'): number {
  const value = covariate[what];
  const given = typeof value === 'object' ? value[years] : value;
  const tag = stated[what];
  if (given !== undefined && tag !== undefined && given !== tag) {
    throw new CommandError(
      `${name}: its ${what} is ${tag} in the file, but ${given} in the manifest: find out which is right, and correct or remove the manifest's`,
      1,
    );
  }
  const known = given ?? tag;
  if (known !== undefined && Math.abs(known) !== Number.POSITIVE_INFINITY) return known;
  throw new CommandError(
    `${name}: the file states no ${what}: read it in the map's documentation and write it into the manifest`,
    1,
  );
}

/** The grid's box; two across ±180. Longitudes of a grid may exceed that, but not those of GeoJSON. */
function coverageOf({ crs, origin: [west, north], cell_size, width, height }: FileGrid) {
  if (crs.epsg !== 4326) {
    throw new CommandError('write "coverage" yourself: the grid is not in degrees', 1);
  }
  const boxes = longitudesOf(west, width * cell_size, cell_size).map((longitudes) =>
    boxOf(longitudes, [north - height * cell_size, north]),
  );
  const [only, ...others] = boxes;
  return others.length === 0
    ? { type: 'Polygon', coordinates: only }
    : { type: 'MultiPolygon', coordinates: boxes };
}

function longitudesOf(west: number, around: number, cell: number): readonly Span[] {
  if (around >= 360 - cell) return [[-180, 180]];
  const start = west - 360 * Math.floor((west + 180) / 360);
  const end = start + around;
  if (end <= 180 + SAME_CELL * cell) return [[start, end]];
  return [
    [start, 180],
    [-180, end - 360],
  ];
}

type Span = readonly [low: number, high: number];

function boxOf(longitudes: Span, latitudes: Span) {
  const degrees = (value: number, most: number) =>
    Number(Math.min(Math.max(value, -most), most).toFixed(6));
  const [left, right] = longitudes.map((value) => degrees(value, 180));
  const [bottom, top] = latitudes.map((value) => degrees(value, 90));
  return [
    [
      [left, bottom],
      [right, bottom],
      [right, top],
      [left, top],
      [left, bottom],
    ],
  ];
}
