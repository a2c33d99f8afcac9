import type { RunJobEstimate } from './estimate-run.ts';
import type { RunJob } from './run-job.ts';

/** A map that a run would yield: jobs of the same model and data are alike, whatever their year. */
export interface RunMap {
  /** `id@version` */
  readonly model: string;
  readonly dataPeriod: readonly number[];
  readonly years: readonly number[];
  readonly jobs: number;
  /** Jobs whose field has this map by another year, too. */
  readonly repeated: number;
}

/** The maps of planned jobs, in the jobs' order. */
export function mapsOf(
  jobs: readonly RunJob[],
  estimates: readonly RunJobEstimate[],
): readonly RunMap[] {
  const maps = new Map<string, { map: RunMap; readonly fields: Set<unknown> }>();
  for (const { index, model, data_period: dataPeriod, year } of estimates) {
    if (model === null || dataPeriod === null) continue;
    const key = [model, ...dataPeriod].join(' ');
    const empty = { model, dataPeriod, years: [], jobs: 0, repeated: 0 };
    const found = maps.get(key) ?? { map: empty, fields: new Set() };
    const field = jobs[index]?.field;
    const { map, fields } = found;
    found.map = {
      ...map,
      years: map.years.includes(year) ? map.years : [...map.years, year],
      jobs: map.jobs + 1,
      repeated: map.repeated + (fields.has(field) ? 1 : 0),
    };
    fields.add(field);
    maps.set(key, found);
  }
  return [...maps.values()].map(({ map }) => map);
}
