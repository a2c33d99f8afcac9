import type { Band, Manifest } from '../pack/manifest.ts';

/** Lowest and highest value of a colour scale, in the property's unit. */
export type DisplayRange = readonly [low: number, high: number];

/**
 * The range of a band's colours, the same for every result of the model, so that fields compare: the
 * manifest's, or else the first to the last threshold of the distribution. Null if the manifest has
 * neither. Every legend, style and preview uses it.
 */
export function displayRangeOf(
  { distribution }: Pick<Manifest, 'distribution'>,
  { display_range }: Pick<Band, 'display_range'>,
): DisplayRange | null {
  if (display_range !== undefined) return display_range;
  const [low, ...higher] = distribution?.thresholds ?? [];
  const high = higher.at(-1);
  return low === undefined || high === undefined ? null : [low, high];
}
