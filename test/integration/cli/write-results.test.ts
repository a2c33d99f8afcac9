import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Job } from 'soil-batch-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type {
  Attribute,
  CoordinateReferenceSystem,
  Field,
} from '../../../cli/src/fields/field-collection.ts';
import type { ResultJob } from '../../../cli/src/results/result-columns.ts';
import { writeResults } from '../../../cli/src/results/write-results.ts';

const layer = z.object({
  crs: z.string(),
  geometry_type: z.string().nullable(),
  types: z.record(z.string(), z.string()),
  subtypes: z.record(z.string(), z.string()),
  rows: z.array(z.record(z.string(), z.unknown())),
  geometries: z.array(z.string().nullable()),
  bounds: z.array(z.number()),
});
const checked = z.object({
  table: layer,
  csv: z.array(z.record(z.string(), z.unknown())),
  csv_columns: z.record(z.string(), z.array(z.string())),
  failed: layer.nullable(),
  mosaics: z.array(z.record(z.string(), z.unknown())),
});

const folder = mkdtempSync(join(tmpdir(), 'results-'));
afterAll(() => rmSync(folder, { recursive: true }));

function python(script: string): string {
  const interpreter = join(import.meta.dirname, '../../../.local/venv/bin/python');
  return execFileSync(interpreter, [join(import.meta.dirname, script), folder], {
    encoding: 'utf8',
  });
}

const read = () => checked.parse(JSON.parse(python('check_results.py')));

function field(index: number, properties: Field['properties']): Field {
  const [west, south] = [5.75 + index / 100, 50.97];
  const ring = [
    [west, south],
    [west + 0.005, south],
    [west + 0.005, south + 0.005],
    [west, south],
  ] as const;
  return { type: 'Feature', geometry: { type: 'Polygon', coordinates: [ring] }, properties };
}

const attributes: readonly Attribute[] = [
  { name: 'id', type: 'String', subtype: null },
  { name: 'Status', type: 'String', subtype: null },
  { name: 'fid', type: 'Integer64', subtype: null },
  { name: 'sown', type: 'Date', subtype: null },
  { name: 'organic', type: 'Integer', subtype: 'Boolean' },
  { name: 'yield', type: 'Real', subtype: null },
  { name: 'notes', type: 'StringList', subtype: null },
];

const rows = [
  { id: '007', Status: 'let', fid: 11, sown: '2021-04-30', organic: 1, yield: 8, notes: ['a'] },
  { id: '=1+1', Status: null, fid: 12, sown: null, organic: 0, yield: -1.5, notes: null },
  { id: '<&">', Status: 'own', fid: 13, sown: null, organic: null, yield: null, notes: null },
];

const summary: NonNullable<Job['summary']> = {
  ...{ area_ha: 3.2, predicted_area_ha: 3.1, mean: 21.5, lower: 18, upper: 25, unit: 'kg/m3' },
  level: 0.9,
  method: 'correlated-errors/1',
  stock: { value: 40.5, lower: 30, upper: 51, unit: 't', substance: 'carbon' },
  ...{ standard_error: 2.1, stock_per_ha: 13.1, cell_min: 17.5, cell_max: 26, cell_sd: 1.5 },
  ...{ impossible_point_count: 0, outside_bounds_point_count: 0, outside_share: 0 },
};

const plain: Job = {
  ...{ job_id: 'job', job_index: 0, name: 'veld 1', year: 2021, status: 'completed' },
  ...{ model: 'meuse-soc@1.0.0', temporal: 'static', data_period: [1990, 1990] },
  ...{ signed_cog_url: null, signed_cog_url_created_at: null, signed_url_expires_at: null },
  ...{ result_url: null, preview_url: null, item_url: null },
  ...{ result: null, error_message: null, error_code: null, error_retryable: null },
  ...{ error_location: null, point_count: 4, predicted_point_count: 4, summary, warnings: [] },
  created_at: '2021-01-01T00:00:00.000Z',
  updated_at: '2021-01-01T00:00:00.000Z',
  completed_at: '2021-01-01T00:00:00.000Z',
};
const failure: Job = {
  ...plain,
  ...{ status: 'failed', error_code: 'geometry_self_intersection', summary: null },
  error_message: 'The ring crosses itself, "here"',
  error_location: { ring: 0, vertex: 2, lon: 5.7725, lat: 50.9725 },
};

function job(index: number, what: Partial<ResultJob>): ResultJob {
  const name = `veld ${index + 1}`;
  const own = { field: field(index, rows[index] ?? {}), name, year: 2021 };
  return { ...own, job: plain, batchId: 'batch', model: null, file: null, ...what };
}

const WGS84 = { code: 'EPSG:4326', name: 'WGS 84' };

const write = (jobs: readonly ResultJob[], crs: CoordinateReferenceSystem = WGS84) =>
  writeResults({
    ...{ folder, attributes, crs, facts: null, jobs },
    styleOf: async (model) => `<qgis>${model}</qgis>`,
  });

describe('a folder of results', () => {
  let found: z.infer<typeof checked>;
  let written: readonly string[];

  beforeAll(async () => {
    python('make_rasters.py');
    written = await write([
      job(0, { file: 'veld-1_2021.tif' }),
      job(1, { file: 'veld-2_2021.tif' }),
      job(2, { job: failure }),
      job(2, { year: 2022, job: null, batchId: null }),
    ]);
    found = read();
  });

  it('has no other file, and none half-written', () => {
    expect([...written].sort()).toEqual([
      'all_meuse-soc-1.0.0_2021.qml',
      'all_meuse-soc-1.0.0_2021.vrt',
      'failed.geojson',
      'results.csv',
      'results.gpkg',
    ]);
    const rasters = ['veld-1_2021.tif', 'veld-2_2021.tif'];
    expect(readdirSync(folder).sort()).toEqual(['.soil-batch', ...written, ...rasters].sort());
  });

  it('has a GeoPackage with the attributes, by their types, and the results', () => {
    const { table } = found;
    expect(table.crs).toBe('EPSG:4326');
    expect(table.geometry_type).toBe('MultiPolygon');
    expect(table.types).toMatchObject({
      ...{ id: 'OFTString', Status_input: 'OFTString', fid_input: 'OFTInteger64' },
      ...{ sown: 'OFTDate', organic: 'OFTInteger', yield: 'OFTReal', notes: 'OFTString' },
      ...{ name: 'OFTString', year: 'OFTInteger', status: 'OFTString', mean: 'OFTReal' },
    });
    expect(table.subtypes['organic']).toBe('OFSTBoolean');
    const [first, second, third, fourth] = table.rows;
    expect(first).toMatchObject({
      ...{ id: '007', Status_input: 'let', fid_input: 11, organic: 1, yield: 8, notes: '["a"]' },
      ...{ name: 'veld 1', year: 2021, status: 'completed', path: 'veld-1_2021.tif' },
      ...{ mean: 21.5, lower: 18, upper: 25, unit: 'kg/m3', stock_t: 40.5, area_ha: 3.2 },
      ...{ model: 'meuse-soc@1.0.0', data_period_start: 1990, job_id: 'job', batch_id: 'batch' },
    });
    expect(String(first?.['sown'])).toMatch(/^2021-04-30/);
    expect(second).toMatchObject({ id: '=1+1', organic: 0, yield: -1.5 });
    expect(third).toMatchObject({
      ...{ id: '<&">', status: 'failed', error_code: 'geometry_self_intersection', mean: null },
      ...{ error_message: 'The ring crosses itself, "here"', path: null },
    });
    expect(fourth).toMatchObject({ year: 2022, status: 'not submitted', job_id: null });
  });

  it('has the same table as CSV, without formulas', () => {
    const { csv, table } = found;
    expect(csv.map((row) => Object.keys(row))).toEqual(table.rows.map((row) => Object.keys(row)));
    expect(csv.map(({ id }) => id)).toEqual(['007', "'=1+1", '<&">', '<&">']);
    expect(csv.map((row) => row['yield'])).toEqual([8, -1.5, null, null]);
    expect(csv[2]).toMatchObject({ error_message: 'The ring crosses itself, "here"' });
  });

  it('begins the CSV with the byte order mark that Excel needs, which no reader takes for a name', () => {
    const text = readFileSync(join(folder, 'results.csv'), 'utf8');
    expect(text.startsWith('\uFEFFid,Status_input,')).toBe(true);
    const { gdal, pandas } = found.csv_columns;
    const columns = Object.keys(found.table.types);
    expect(gdal).toEqual(columns);
    expect(pandas).toEqual(columns);
  });

  it('has the failed fields and the places of their faults', () => {
    expect(found.failed?.geometries).toEqual(['Polygon', 'Point']);
    const [, fault] = found.failed?.rows ?? [];
    expect(fault).toMatchObject({
      ...{ part: 'fault', name: 'veld 3', year: 2021, ring: 0, vertex: 2 },
      error_code: 'geometry_self_intersection',
    });
  });

  it('has all rasters of a model as one, with its style', () => {
    expect(found.mosaics).toEqual([
      {
        name: 'all_meuse-soc-1.0.0_2021.vrt',
        ...{ crs: 28992, nodata: -32768, descriptions: ['mean', 'q05', 'q95'] },
        scales: [0.1, 0.1, 0.1],
        bounds: [181_100, 332_460, 181_250, 332_500],
        files: ['all_meuse-soc-1.0.0_2021.vrt', 'veld-1_2021.tif', 'veld-2_2021.tif'],
        // Five cells of each raster, the first without data, and five cells between them.
        first_row: [
          -32768,
          100,
          100,
          100,
          100,
          ...Array(5).fill(-32768),
          -32768,
          200,
          200,
          200,
          200,
        ],
      },
    ]);
    const style = readFileSync(join(folder, 'all_meuse-soc-1.0.0_2021.qml'), 'utf8');
    expect(style).toBe('<qgis>meuse-soc@1.0.0</qgis>');
  });

  it('has its GeoPackage in the system of the input, where each corner was', async () => {
    const rd = { code: 'EPSG:28992', name: 'Amersfoort / RD New', wkt: 'EPSG:28992' };
    await write([job(0, {}), job(1, { field: { ...field(1, {}), geometry: null } })], rd);
    const { table } = read();
    expect(table.crs).toBe('EPSG:28992');
    expect(table.geometries).toEqual(['MultiPolygon', null]);
    const [west = 0, south = 0] = table.bounds;
    // PROJ's own for 5.75, 50.97.
    expect(west).toBeCloseTo(180_484.6, 0);
    expect(south).toBeCloseTo(331_209.2, 0);
  });

  it('has no failures left when a retry succeeds', async () => {
    await write([job(0, {}), job(2, {})]);
    const { failed, table } = read();
    expect(failed).toBeNull();
    expect(table.rows.map(({ status }) => status)).toEqual(['completed', 'completed']);
  });
});
