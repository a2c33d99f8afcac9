import type { BatchTotal, JobSummary } from 'soil-batch-client';
import { formatUnit } from '#engine/display/unit-text.ts';
import type { Fact } from '../facts.ts';
import { stockPerHectareText, stockUnit } from '../model-text.ts';
import { formatRounded } from '../numbers.ts';
import { TEXTS } from '../texts.ts';

type Values = Pick<
  JobSummary | BatchTotal['totals'][number],
  'mean' | 'lower' | 'upper' | 'unit' | 'level' | 'stock' | 'stock_per_ha'
>;

export function valueFacts(values: Values): readonly Fact[] {
  const { mean, unit, level, stock } = values;
  const ofMean = [TEXTS.progress.value, valueText(mean, formatUnit(unit), values, level)] as const;
  if (stock === null) return [ofMean];
  return [
    [TEXTS.progress.stock, valueText(stock.value, stockUnit(stock), stock, level)],
    [TEXTS.progress.stockPerHectare, stockPerHectareText(values)],
    ofMean,
  ];
}

interface Bounds {
  readonly lower: number | null;
  readonly upper: number | null;
}

function valueText(
  value: number,
  unit: string,
  { lower, upper }: Bounds,
  level: number | null,
): string {
  const text = `${formatRounded(value)} ${unit}`;
  if (lower === null || upper === null || level === null) return text;
  return TEXTS.batch.withInterval(
    text,
    Math.round(level * 100),
    formatRounded(lower),
    formatRounded(upper),
  );
}
