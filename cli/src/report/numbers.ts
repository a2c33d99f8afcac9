import { type Html, html } from 'soil-batch-client';

type Value = number | null | undefined;

const MOST_DECIMALS = 4;

/** Digits after the point for a column of values: those that show four significant ones of the middle value. */
export function decimalsOf(values: Iterable<Value>): number {
  const sizes = [...values].flatMap((value) => (value ? [Math.abs(value)] : []));
  const middle = sizes.toSorted((a, b) => a - b)[Math.floor(sizes.length / 2)];
  if (middle === undefined) return 2;
  return Math.min(Math.max(3 - Math.floor(Math.log10(middle)), 0), MOST_DECIMALS);
}

/** `37.16`, `40,210`; a dash for none. A small value keeps two significant digits. */
export function figure(value: Value, decimals: number): string {
  if (value === null || value === undefined) return '–';
  if (value !== 0 && Math.abs(value) < 10 ** (1 - decimals)) {
    return value.toLocaleString('en', { maximumSignificantDigits: 2 });
  }
  return value.toLocaleString('en', {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

interface Estimate {
  readonly value: Value;
  readonly lower: number | null;
  readonly upper: number | null;
  readonly standardError: Value;
}

/** A value with its interval and standard error below it; without an interval the value alone. */
export function estimateText(estimate: Estimate, decimals: number, unit = ''): Html {
  const { value, lower, upper, standardError } = estimate;
  const bounds =
    lower === null || upper === null
      ? null
      : html`<br><small>${figure(lower, decimals)} to ${figure(upper, decimals)}</small>`;
  const error =
    standardError === null || standardError === undefined
      ? null
      : html`<br><small>± ${figure(standardError, decimals)}</small>`;
  return html`${figure(value, decimals)} ${unit}${bounds}${error}`;
}
