import * as z from 'zod';
import { localManifestSchema } from '#engine/model/pack/manifest.ts';
import type { PackFiles } from '#engine/model/pack/pack-files.ts';
import { CommandError } from '../operator/command.ts';
import { EXPECTED_FILE, type ExpectedFiles } from './expected.ts';
import {
  type FileGrid,
  formatGrid,
  formatHeader,
  type Header as HeaderOf,
  readHeaders,
  SAME_CELL,
} from './file-headers.ts';

const ofPeriods = z.union([z.number(), z.record(z.string(), z.number())]).optional();

/** The fields of an unfrozen manifest that freezing reads; the frozen manifest is validated completely. */
const unfrozen = z.object({
  covariates: z
    .array(
      z.object({
        kind: z.literal('raster'),
        name: z.string(),
        href: z.union([z.string(), z.record(z.string(), z.string())]),
        scale: ofPeriods,
        offset: ofPeriods,
        nodata: ofPeriods,
        band: z.int().min(1).optional(),
      }),
    )
    .min(1),
  grid: z.object({ crs: localManifestSchema.shape.grid.shape.crs }).optional(),
});

/** The manifest's own fields, which keep their order. */
const fields = z.record(z.string(), z.unknown());
const fieldsOfEach = z.array(fields);

type Header = HeaderOf<z.infer<typeof unfrozen>['covariates'][number]>;

export interface Frozen {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly findings: readonly string[];
}

/** The sizes of a tile and of the largest block: small, so that little is read for a small field. */
const TILING = { tile_size: 256, block_tiles: 4 };

/**
 * Returns a published map's manifest with the grid, the coverage, and each covariate's scale and nodata, as the headers
 * of its files state them. Existing values stay.
 * @param expected what is known about the files
 * @throws CommandError with a line for each difference from the expectation, each contradiction between files or with
 * the manifest, and each missing value
 */
export async function freezeManifest(
  json: unknown,
  files: PackFiles,
  expected: ExpectedFiles | null = null,
): Promise<Frozen> {
  const parsed = unfrozen.safeParse(json);
  if (!parsed.success) throw new CommandError(`manifest.json: ${z.prettifyError(parsed.error)}`, 1);
  const { covariates, grid } = parsed.data;
  const { headers, problems } = await readHeaders(covariates, files, grid?.crs);
  const [first] = headers;
  if (first === undefined) throw new CommandError(problems.join('\n'), 1);
  const surprises = headers.map((header) => listSurprises(header, expected));
  const [reference = first, ...others] = headers.filter((_, i) => surprises[i]?.length === 0);
  const differences = [
    ...problems,
    ...surprises.flat(),
    ...(grid === undefined ? others.flatMap((header) => compareGrids(reference, header)) : []),
    ...headers.flatMap(listContradictions),
  ];
  if (differences.length > 0) throw new CommandError(differences.join('\n'), 1);
  const given = fields.parse(json);
  const manifest = {
    ...given,
    grid: given['grid'] ?? { ...first.grid, ...TILING },
    coverage: given['coverage'] ?? coverGrid(first.grid),
    covariates: fieldsOfEach.parse(given['covariates']).map((covariate, i) => {
      const own = headers.filter((header) => header.covariate === covariates[i]);
      return { ...covariate, ...mergeEncoding(own, 'scale'), ...mergeEncoding(own, 'nodata') };
    }),
  };
  const checked = z.safeParse(localManifestSchema, manifest);
  if (!checked.success)
    throw new CommandError(`manifest.json: ${z.prettifyError(checked.error)}`, 1);
  return { manifest, findings: headers.map(formatHeader) };
}

function listSurprises(
  { name, grid, sampleType, overviews }: Header,
  expected: ExpectedFiles | null,
): readonly string[] {
  if (expected === null) return [];
  const { cell_size: cell, bounds, sample_type, least_overviews } = expected;
  const found: readonly [is: boolean, what: string, wanted: string][] = [
    [
      Math.abs(grid.cell_size - cell) * grid.width <= cell,
      `cells of ${grid.cell_size}`,
      `cells of ${cell}`,
    ],
    [
      boundsOf(grid).every((side, i) => Math.abs(side - (bounds[i] ?? side)) <= cell),
      `the bounds ${boundsOf(grid).join(', ')}`,
      bounds.join(', '),
    ],
    [sampleType === sample_type, `samples of ${sampleType}`, sample_type],
    [
      overviews >= least_overviews,
      `${overviews} ${overviews === 1 ? 'overview' : 'overviews'}`,
      `at least ${least_overviews}`,
    ],
  ];
  return found.flatMap(([is, what, wanted]) =>
    is ? [] : [`${name} has ${what}, but ${EXPECTED_FILE} expects ${wanted}`],
  );
}

function boundsOf({
  origin: [west, north],
  cell_size,
  width,
  height,
}: FileGrid): readonly number[] {
  const sides = [west, north - height * cell_size, west + width * cell_size, north];
  return sides.map((side) => Number(side.toFixed(7)));
}

/** The manifest gets the grid of its files, so all files must have the same grid. */
function compareGrids(first: Header, other: Header): readonly string[] {
  const [a, b] = [first.grid, other.grid];
  const off = Math.max(
    Math.abs(a.origin[0] - b.origin[0]),
    Math.abs(a.origin[1] - b.origin[1]),
    Math.abs(a.cell_size - b.cell_size) * a.width,
  );
  const isSame = a.crs.epsg === b.crs.epsg && a.width === b.width && a.height === b.height;
  if (isSame && off <= SAME_CELL * a.cell_size) return [];
  return [
    `${other.name} has ${formatGrid(b)}, but ${first.name} has ${formatGrid(a)}; make a separate pack for each grid`,
  ];
}

type Encoded = 'scale' | 'offset' | 'nodata';

function findGiven({ covariate, years }: Header, what: Encoded): number | undefined {
  const value = covariate[what];
  return typeof value === 'object' ? value[years] : value;
}

/**
 * Lists contradictions and gaps. A value that both the file and the manifest state must be equal in
 * both; scale and nodata must be stated in at least one of them.
 */
function listContradictions(header: Header): readonly string[] {
  const { name, stated } = header;
  return (['scale', 'offset', 'nodata'] as const).flatMap((what) => {
    const [given, tag] = [findGiven(header, what), stated[what]];
    if (given !== undefined && tag !== undefined && given !== tag) {
      return [
        `${name}: its ${what} is ${tag} in the file, but ${given} in the manifest; find out which is right, and correct the manifest or remove its value`,
      ];
    }
    const known = given ?? tag;
    if (what === 'offset' || (known !== undefined && Math.abs(known) !== Number.POSITIVE_INFINITY))
      return [];
    return [
      `${name}: neither the file nor the manifest states a finite ${what}; look it up in the map's documentation and write it into the manifest`,
    ];
  });
}

/**
 * Returns the manifest's or the files' value, per period unless all periods share it. Returns nothing if the nodata of a
 * file is NaN, which JSON cannot express; NaN counts as missing anyway.
 */
function mergeEncoding(
  headers: readonly Header[],
  what: 'scale' | 'nodata',
): Readonly<Record<string, unknown>> {
  const values = headers.map((header): [string, number] => [
    header.years,
    findGiven(header, what) ?? header.stated[what] ?? Number.NaN,
  ]);
  const [only, ...others] = new Set(values.map(([, value]) => value));
  if (values.some(([, value]) => Number.isNaN(value))) return {};
  return { [what]: others.length === 0 ? only : Object.fromEntries(values) };
}

/**
 * Returns the bounding box of the grid, or two boxes if it crosses ±180°. A grid may have longitudes beyond that, but
 * GeoJSON may not.
 */
function coverGrid({ crs, origin: [west, north], cell_size, width, height }: FileGrid) {
  if (crs.epsg !== 4326) {
    throw new CommandError(
      'the grid is not in degrees; write "coverage" into the manifest yourself',
      1,
    );
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
