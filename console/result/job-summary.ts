import type { JobDetail, Model } from 'soil-batch-client';
import { formatUnit } from '#engine/display/unit-text.ts';
import { h } from '../element.ts';
import { factList } from '../facts.ts';
import {
  accuracyText,
  areaText,
  notForText,
  outsideText,
  propertyText,
  rangeText,
  stockPerHectareText,
  stockUnit,
} from '../model-text.ts';
import { formatRounded } from '../numbers.ts';
import { TEXTS } from '../texts.ts';

export function describeSubject(job: JobDetail, model: Model | undefined): HTMLElement {
  const { year, model: ref, data_period: period } = job;
  const data = period === null ? null : TEXTS.result.data(rangeText(period));
  const parts = [model === undefined ? null : propertyText(model), String(year), ref, data];
  return h('p', { class: 'muted' }, parts.filter((part) => part !== null).join(' · '));
}

export function describeSummary({ summary }: JobDetail): HTMLElement | null {
  if (summary === null) return null;
  const { stock, unit, level } = summary;
  return h(
    'p',
    {},
    TEXTS.result.mean(
      `${formatRounded(summary.mean)} ${formatUnit(unit)}`,
      formatRange(summary, level),
    ),
    stock === null
      ? null
      : ` ${TEXTS.result.stock(
          `${formatRounded(stock.value)} ${stockUnit(stock)}`,
          formatRange(stock, level),
          stockPerHectareText(summary),
        )}`,
    ` ${areaText(summary)}`,
  );
}

export function describeTrust({ summary }: JobDetail, model: Model | undefined): HTMLElement {
  return factList([
    [TEXTS.result.accuracy, model === undefined ? null : accuracyText(model)],
    [TEXTS.job.outside, summary === null ? null : outsideText(summary)],
    [TEXTS.result.notFor, model === undefined ? null : notForText(model)],
  ]);
}

interface Bounds {
  readonly lower: number | null;
  readonly upper: number | null;
}

function formatRange({ lower, upper }: Bounds, level: number | null) {
  if (lower === null || upper === null || level === null) return null;
  return { level: Math.round(level * 100), low: formatRounded(lower), high: formatRounded(upper) };
}
