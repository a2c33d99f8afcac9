import type { Batch } from 'soil-batch-client';
import * as z from 'zod/mini';
import { type CsvCell, joinCsvCells } from '#engine/display/csv-row.ts';
import { quoteLongIntegers } from '../files/geojson.ts';

/**
 * The result columns, in the order of the table that the command writes. The fields' own attributes precede
 * them.
 */
const RESULT_COLUMNS = [
  ...['name', 'year', 'status', 'mean', 'lower', 'upper', 'unit', 'path', 'destination_uri'],
  ...['error_code', 'error_message', 'error_retryable', 'warning_codes', 'warning_messages'],
  ...['area_ha', 'predicted_area_ha', 'standard_error', 'level', 'method'],
  ...['stock_t', 'stock_lower_t', 'stock_upper_t'],
  ...['stock_t_per_ha', 'stock_lower_t_per_ha', 'stock_upper_t_per_ha', 'stock_substance'],
  ...['cell_min', 'cell_max', 'cell_sd', 'outside_share', 'outside_applicability_share'],
  ...['model', 'model_sha256', 'property', 'depth_top_cm', 'depth_bottom_cm', 'sample_support'],
  ...['data_period_start', 'data_period_end', 'completed_at', 'batch_id', 'job_id'],
] as const;

const scalar = z.nullable(z.union([z.string(), z.number(), z.boolean()]));

const page = z.object({
  features: z.array(
    z.object({
      properties: z.catchall(
        z.object({
          job_id: z.string(),
          properties: z.nullable(z.record(z.string(), z.unknown())),
        }),
        scalar,
      ),
    }),
  ),
});

type Row = z.infer<typeof page>['features'][number]['properties'];

/**
 * Writes a batch's table as CSV, as the command does, with the fields' attributes and the names of the rasters
 * as columns. @param fileNames the file name of each raster, by job ID
 */
export async function readResultsCsv(
  batch: Batch,
  fileNames: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<string> {
  const rows: Row[] = [];
  for await (const { text } of batch.results({ signal })) {
    const { features } = z.parse(page, JSON.parse(quoteLongIntegers(text)));
    rows.push(...features.map(({ properties }) => properties));
  }
  const attributes = [...new Set(rows.flatMap(({ properties }) => Object.keys(properties ?? {})))];
  const names = renameAttributes(attributes);
  const lines = rows.map((row) => {
    const own = { path: fileNames.get(row.job_id) ?? null, batch_id: batch.id };
    const results: Readonly<Record<string, unknown>> = { ...row, ...own };
    return joinCsvCells([
      ...attributes.map((name) => toCell(row.properties?.[name])),
      ...RESULT_COLUMNS.map((name) => toCell(results[name])),
    ]);
  });
  // Excel needs the byte order mark to read UTF-8.
  return ['\uFEFF', joinCsvCells([...names, ...RESULT_COLUMNS]), ...lines].join('');
}

function toCell(value: unknown): CsvCell {
  const parsed = scalar.safeParse(value ?? null);
  return parsed.success ? parsed.data : JSON.stringify(value);
}

/** Appends `_input` to an attribute that has the name of a result, as in the command's table. */
function renameAttributes(attributes: readonly string[]): readonly string[] {
  const taken = new Set<string>(['fid', 'geom', ...RESULT_COLUMNS]);
  const free = attributes.filter((name) => {
    const isFree = !taken.has(name.toLowerCase());
    if (isFree) taken.add(name.toLowerCase());
    return isFree;
  });
  return attributes.map((name) => {
    if (free.includes(name)) return name;
    let renamed = name;
    while (taken.has(renamed.toLowerCase())) renamed = `${renamed}_input`;
    taken.add(renamed.toLowerCase());
    return renamed;
  });
}
