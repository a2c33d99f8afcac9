import type { BatchTotal } from 'soil-batch-client';
import { amount, count } from './numbers.ts';

type Total = BatchTotal['totals'][number];

/** A total in one line, and in others what the reader must know. */
export function totalLines(total: Total): readonly string[] {
  const { jobs, predicted_area_ha, mean, unit, stock, level, interval_missing, warnings } = total;
  const of = stock?.substance === undefined ? '' : ` of ${stock.substance}`;
  const tonnes =
    stock === null ? '' : `, ${amount(stock.value)} t${of}${bounds(stock.lower, stock.upper)}`;
  const interval = level === null ? '' : `; ${Math.round(100 * level)} % interval`;
  return [
    `Total of ${count(jobs, 'field')}, ${amount(predicted_area_ha)} ha: ${amount(mean)} ${unit}${bounds(total.lower, total.upper)}${tonnes}${interval}`,
    ...(interval_missing === null ? [] : [`  No interval: ${interval_missing.message}`]),
    ...warnings.map(({ message }) => `  ${message}`),
  ];
}

function bounds(lower: number | null, upper: number | null): string {
  return lower === null || upper === null ? '' : ` (${amount(lower)} to ${amount(upper)})`;
}
