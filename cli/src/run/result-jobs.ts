import type { ModelDescription } from 'soil-batch-client';
import type { ResultJob } from '../results/result-columns.ts';
import type { Outcomes } from './outcomes.ts';
import type { RunJob } from './run-job.ts';

/**
 * The jobs of a run with what became of them, in its order.
 * @param models that the service described
 * @param isHere whether the folder has the raster of a job, by its index
 */
export function resultJobs(
  jobs: readonly RunJob[],
  outcomes: Outcomes,
  models: readonly ModelDescription[],
  isHere: (index: number) => boolean,
): readonly ResultJob[] {
  return jobs.map(({ index, field, name, year, file }) => {
    const { job = null, batchId = null } = outcomes.jobs.get(index) ?? {};
    const described = models.filter(({ model }) => model === job?.model);
    return {
      ...{ field, name, year, job, batchId },
      // A model that was deployed again under its version has two digests: neither is certain.
      model: described.length === 1 ? (described[0] ?? null) : null,
      file: isHere(index) ? file : null,
    };
  });
}
