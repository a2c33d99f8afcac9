import type { JobSummary } from 'soil-batch-client';
import { alignColumns } from '../../bin/operator/command.ts';

export interface SummarisedJob {
  readonly name: string;
  readonly summary: JobSummary;
}

const HEAD = [
  'field',
  'predicted ha',
  'mean and 90 % interval (kg/m³)',
  'carbon and 90 % interval (t)',
];

export function formatSummaryTable(jobs: readonly SummarisedJob[]): readonly string[] {
  return alignColumns([HEAD, ...jobs.map(formatSummaryRow)]);
}

function formatSummaryRow({ name, summary }: SummarisedJob): string[] {
  const { predicted_area_ha, mean, lower, upper, stock } = summary;
  return [
    name,
    formatShort(predicted_area_ha),
    formatWithInterval(mean, lower, upper),
    stock === null ? '' : formatWithInterval(stock.value, stock.lower, stock.upper),
  ];
}

function formatWithInterval(value: number, lower: number | null, upper: number | null): string {
  if (lower === null || upper === null) return formatShort(value);
  return `${formatShort(value)} (${formatShort(lower)} to ${formatShort(upper)})`;
}

const formatShort = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 3 });
