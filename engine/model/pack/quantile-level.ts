import type { Band } from './manifest.ts';

/** The quantile level that a band or its name declares; null for any other band. */
export function quantileLevel({ name, from }: Pick<Band, 'name' | 'from'>): number | null {
  if (from.level !== undefined) return from.level;
  const named = new Set(levelsNamed(name)?.filter((level) => level > 0 && level < 1));
  // q5 may be 0.5 or 0.05.
  return named.size === 1 ? ([...named][0] ?? null) : null;
}

/** The levels that a name such as q05, p16 or q975 may mean; null for other names. */
export function levelsNamed(name: string): readonly number[] | null {
  const digits = /^[pq](\d+)$/.exec(name)?.[1];
  return digits === undefined ? null : [Number(`0.${digits}`), Number(digits) / 100];
}
