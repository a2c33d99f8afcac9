import type { Band, Manifest } from '../pack/manifest.ts';

/**
 * The band to show: the one with the name, or without a name the first that is no quantile, which is the
 * mean in most packs. Undefined if the model has no band of that name.
 */
export function shownBand({ bands }: Pick<Manifest, 'bands'>, name?: string): Band | undefined {
  if (name !== undefined) return bands.find((band) => band.name === name);
  return bands.find(({ from }) => from.level === undefined) ?? bands[0];
}
