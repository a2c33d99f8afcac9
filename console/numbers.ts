/** An undefined locale is the browser's language and region. */
const INTEGER = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });

/** A count with its noun: `1 field`, `2 fields`. */
export function formatCount(amount: number, noun: string): string {
  return `${INTEGER.format(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}

export const formatWhole = (amount: number) => INTEGER.format(amount);

/** More digits after the point are a RangeError in browsers before 2023 (ECMA-402). */
const MOST_DIGITS = 20;

/**
 * Writes three significant digits, but always all digits before the decimal point: `35.2`, `2,858`; `NaN` or `∞` if not
 * finite.
 */
export function formatRounded(value: number): string {
  const wanted = 2 - Math.floor(Math.log10(Math.abs(value) || 1));
  const digits = Math.min(Math.max(0, wanted), MOST_DIGITS);
  return new Intl.NumberFormat(undefined, { maximumFractionDigits: digits }).format(value);
}

export const formatPrecise = (value: number) =>
  new Intl.NumberFormat(undefined, { maximumFractionDigits: MOST_DIGITS }).format(value);

/** Writes round values with all their digits; very small and very large values with a power of ten. */
export function formatTicks(ticks: readonly number[]): readonly string[] {
  const size = Math.max(...ticks.map(Math.abs));
  const isFar = size > 0 && (size < 1e-4 || size >= 1e7);
  const format = new Intl.NumberFormat(undefined, {
    maximumSignificantDigits: 6,
    notation: isFar ? 'scientific' : 'standard',
  });
  return ticks.map((tick) => format.format(tick));
}

export function formatHectares(area: number): string {
  return area > 0 && area < 0.0001 ? 'less than 0.0001 ha' : `${formatRounded(area)} ha`;
}

export function formatFileSize(bytes: number): string {
  return bytes < 1_000_000
    ? `${formatRounded(bytes / 1_000)} kB`
    : `${formatRounded(bytes / 1_000_000)} MB`;
}

/**
 * Writes a place that can be pasted back, such as `50.9713° N, 5.74225° E`. Five decimals are about a metre.
 */
export function formatPlace(lon: number, lat: number): string {
  const degrees = (value: number, positive: string, negative: string) =>
    `${Number(Math.abs(value).toFixed(5))}° ${value < 0 ? negative : positive}`;
  return `${degrees(lat, 'N', 'S')}, ${degrees(lon, 'E', 'W')}`;
}

export function formatDollars(usd: number): string {
  if (usd > 0 && usd < 0.01) return 'less than $0.01';
  return new Intl.NumberFormat(undefined, { style: 'currency', currency: 'USD' }).format(usd);
}

export function formatDuration(seconds: number): string {
  const { amount, unit } = chooseUnit(seconds);
  return formatCount(amount, unit);
}

/** Writes a range, such as `11 to 12 seconds` and `up to 4 seconds`. */
export function formatDurationRange(least: number, most: number): string {
  const [from, to] = [chooseUnit(least), chooseUnit(most)];
  if (from.amount === 0) return `up to ${formatDuration(most)}`;
  if (from.unit !== to.unit) return `${formatDuration(least)} to ${formatDuration(most)}`;
  return from.amount === to.amount
    ? formatDuration(most)
    : `${formatWhole(from.amount)} to ${formatDuration(most)}`;
}

function chooseUnit(seconds: number) {
  if (seconds < 90) return { amount: Math.ceil(seconds), unit: 'second' };
  if (seconds < 90 * 60) return { amount: Math.round(seconds / 60), unit: 'minute' };
  return { amount: Math.round(seconds / 3_600), unit: 'hour' };
}

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const formatTime = (time: string | Date) => TIME.format(new Date(time));
