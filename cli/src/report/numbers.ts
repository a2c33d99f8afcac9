import { type Html, html } from 'soil-batch-client';

/** Four significant digits, or all before the point: `0.01234`, `37.16`, `40,210`; a dash for none. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (Math.abs(value) >= 1_000) return value.toLocaleString('en', { maximumFractionDigits: 0 });
  return value.toLocaleString('en', { maximumSignificantDigits: 4 });
}

export interface Bounds {
  readonly lower: number | null;
  readonly upper: number | null;
}

/** Below the value; nothing without an interval. */
export function interval({ lower, upper }: Bounds): Html | null {
  if (lower === null || upper === null) return null;
  return html`<br><small>${figure(lower)} to ${figure(upper)}</small>`;
}
