const MINUTE = 60;
const HOUR = 3_600;

/** Three digits at most after the point for small amounts, none for large ones: `0.4`, `1,234`. */
export function amount(value: number): string {
  const digits = value >= 100 ? 0 : value >= 1 ? 1 : 3;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** `1 job`, `2 jobs`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${amount(value)} ${value === 1 ? one : many}`;
}

export function usd(value: number): string {
  return `US$ ${value.toLocaleString('en', { minimumFractionDigits: 2, maximumSignificantDigits: 2 })}`;
}

/** `14 to 41 s`, `1 to 3 min`, by the unit of the longer time. */
export function duration(min: number, max: number): string {
  const [unit, name] = max < 2 * MINUTE ? [1, 's'] : max < 2 * HOUR ? [MINUTE, 'min'] : [HOUR, 'h'];
  const from = Math.floor(min / unit);
  const to = Math.ceil(max / unit);
  return from === to ? `${to} ${name}` : `${from} to ${to} ${name}`;
}
