import type { Manifest } from '#engine/model/pack/manifest.ts';
import { tonnesPerHectare } from '#engine/model/pack/property.ts';
import { figure } from './sample-table.ts';

/**
 * The stock of a typical place, in which an author sees a wrong unit or depth; nothing for a unit that
 * gives none.
 * @param of whose values they are, e.g. `the median cell`
 */
export function medianStock(
  { property }: Pick<Manifest, 'property'>,
  of: string,
  values: readonly (number | undefined)[],
): readonly string[] {
  const tonnes = tonnesPerHectare(property);
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)];
  if (tonnes === null || median === undefined) return [];
  const [top, bottom] = property.depth_cm;
  const substance = property.substance === undefined ? '' : ` of ${property.substance}`;
  return [`stock of ${of}: ${figure(median * tonnes)} t/ha${substance} in ${top} to ${bottom} cm`];
}
