import type { Job, ModelDescription } from 'soil-batch-client';
import type { Field } from '../fields/field-collection.ts';

/** One field and year, with what became of it. */
export interface ResultJob {
  readonly field: Field;
  readonly name: string;
  readonly year: number;
  /** The service's newest job for it; null if it has not been submitted. */
  readonly job: Job | null;
  readonly batchId: string | null;
  /** Of the job; null if it has none, or the service did not describe it. */
  readonly model: ModelDescription | null;
  /** Its raster within the folder of results; null if it is not there. */
  readonly file: string | null;
}

export type Scalar = string | number | boolean | null;

export type ColumnType =
  | 'Boolean'
  | 'Date'
  | 'DateTime'
  | 'Integer'
  | 'Integer64'
  | 'Real'
  | 'String';

/** A column of the table of results. */
export interface Column {
  readonly name: string;
  readonly type: ColumnType;
  cellOf(job: ResultJob): Scalar;
}

/** What the service knows of a job, named like the columns of its own table. */
export const RESULT_COLUMNS: readonly Column[] = [
  text('name', ({ name }) => name),
  { name: 'year', type: 'Integer', cellOf: ({ year }) => year },
  text('status', ({ job }) => job?.status ?? 'not submitted'),
  text('error_code', ({ job }) => job?.error_code ?? null),
  text('error_message', ({ job }) => job?.error_message ?? null),
  text('warnings', ({ job }) => warningsOf(job?.warnings.map(({ message }) => message) ?? [])),
  text('path', ({ file }) => file),
  text('model', ({ job }) => job?.model ?? null),
  text('model_sha256', ({ model }) => model?.model_sha256 ?? null),
  text('property', ({ model }) => model?.property ?? null),
  real('depth_top_cm', ({ model }) => model?.depth_cm?.[0]),
  real('depth_bottom_cm', ({ model }) => model?.depth_cm?.[1]),
  text('sample_support', ({ model }) => model?.sample_support ?? null),
  {
    name: 'data_period_start',
    type: 'Integer',
    cellOf: ({ job }) => job?.data_period?.[0] ?? null,
  },
  { name: 'data_period_end', type: 'Integer', cellOf: ({ job }) => job?.data_period?.[1] ?? null },
  real('area_ha', ({ job }) => job?.summary?.area_ha),
  real('predicted_area_ha', ({ job }) => job?.summary?.predicted_area_ha),
  real('mean', ({ job }) => job?.summary?.mean),
  real('lower', ({ job }) => job?.summary?.lower),
  real('upper', ({ job }) => job?.summary?.upper),
  real('standard_error', ({ job }) => job?.summary?.standard_error),
  text('unit', ({ job }) => job?.summary?.unit ?? null),
  real('level', ({ job }) => job?.summary?.level),
  text('method', ({ job }) => job?.summary?.method ?? null),
  real('stock_t', ({ job }) => job?.summary?.stock?.value),
  real('stock_lower_t', ({ job }) => job?.summary?.stock?.lower),
  real('stock_upper_t', ({ job }) => job?.summary?.stock?.upper),
  real('stock_t_per_ha', ({ job }) => job?.summary?.stock_per_ha),
  real('stock_lower_t_per_ha', ({ job }) => perHectare(job, 'lower')),
  real('stock_upper_t_per_ha', ({ job }) => perHectare(job, 'upper')),
  text('stock_substance', ({ job }) => job?.summary?.stock?.substance ?? null),
  real('cell_min', ({ job }) => job?.summary?.cell_min),
  real('cell_max', ({ job }) => job?.summary?.cell_max),
  real('cell_sd', ({ job }) => job?.summary?.cell_sd),
  real('outside_share', ({ job }) => job?.summary?.outside_share),
  text('batch_id', ({ batchId }) => batchId),
  text('job_id', ({ job }) => job?.job_id ?? null),
];

function text(name: string, cellOf: (job: ResultJob) => string | null): Column {
  return { name, type: 'String', cellOf };
}

function real(name: string, cellOf: (job: ResultJob) => number | null | undefined): Column {
  return { name, type: 'Real', cellOf: (job) => cellOf(job) ?? null };
}

function perHectare(job: Job | null, bound: 'lower' | 'upper'): number | null {
  const tonnes = job?.summary?.stock?.[bound] ?? null;
  const hectares = job?.summary?.predicted_area_ha ?? 0;
  return tonnes === null || hectares === 0 ? null : Number((tonnes / hectares).toPrecision(6));
}

function warningsOf(messages: readonly string[]): string | null {
  return messages.length === 0 ? null : messages.join(' ');
}
