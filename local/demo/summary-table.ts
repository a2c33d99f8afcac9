import type { JobSummary } from 'soil-batch-client';
import { aligned } from '../../bin/operator/command.ts';

export interface SummarisedJob {
  readonly name: string;
  readonly summary: JobSummary;
}

const HEAD = ['field', 'ha', 'mean and 90 % interval (kg/m³)', 'carbon and 90 % interval (t)'];

/** The numbers of the example's fields, for people: aligned columns, three digits. */
export function summaryTable(jobs: readonly SummarisedJob[]): readonly string[] {
  return aligned([HEAD, ...jobs.map(rowOf)]);
}

function rowOf({ name, summary }: SummarisedJob): string[] {
  const { predicted_area_ha, mean, lower, upper, stock } = summary;
  return [
    name,
    short(predicted_area_ha),
    withInterval(mean, lower, upper),
    stock === null ? '' : withInterval(stock.value, stock.lower, stock.upper),
  ];
}

function withInterval(value: number, lower: number | null, upper: number | null): string {
  if (lower === null || upper === null) return short(value);
  return `${short(value)} (${short(lower)} to ${short(upper)})`;
}

const short = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 3 });
