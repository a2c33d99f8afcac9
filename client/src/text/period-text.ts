import type { Model } from '../schemas.ts';

/** The years that a map of a model is for, and those of its data. */
export function periodText({ years, data_period }: Model['periods'][number]): string {
  const data = `data of ${rangeText(data_period)}`;
  return years === null ? `any year: the same map, ${data}` : `${rangeText(years)}: ${data}`;
}

function rangeText([first, last]: readonly number[]): string {
  return first === last ? `${first}` : `${first}–${last}`;
}
