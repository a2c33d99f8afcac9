import type { Pack } from '#engine/model/pack/pack.ts';
import {
  formatYears,
  hasYear,
  listMapPeriods,
  listPackPeriods,
} from '#engine/model/pack/periods.ts';
import { CommandError } from '../operator/command.ts';

/**
 * Returns the pack with the covariates of a year's period.
 * @throws CommandError if the pack has no map for the year, or if the year is null and the pack has several maps
 */
export function chooseMap(pack: Pack, year: number | null): Pack {
  const maps = listPackPeriods(pack);
  const [only, ...others] =
    year === null ? maps : maps.filter((candidate) => hasYear(candidate, year));
  if (only !== undefined && others.length === 0) return only;
  const covered = listMapPeriods(pack.manifest)
    .map(({ years }) => (years === null ? 'every year' : formatYears(years)))
    .join(', ');
  throw new CommandError(
    year === null
      ? `${pack.ref} has several maps, for ${covered}; choose one with --year`
      : `${pack.ref} has no map for ${year}, only for ${covered}`,
  );
}
