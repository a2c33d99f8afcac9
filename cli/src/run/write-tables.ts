import { type SoilClient, SoilError } from 'soil-batch-client';
import { writeResults } from '../results/write-results.ts';
import type { Raster } from './download.ts';
import type { Outcome } from './outcomes.ts';
import type { Run } from './run.ts';

/** Writes the tables of all jobs of the run, also of those that are not finished or not submitted. */
export function writeTables(
  client: SoilClient,
  { folder, fields, jobs }: Run,
  outcomes: ReadonlyMap<number, Outcome>,
  rasters: readonly Raster[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const present = new Set(rasters.map(({ index }) => index));
  return writeResults({
    folder,
    attributes: fields.attributes,
    jobs: jobs.map(({ index, field, name, year, file }) => ({
      field,
      name,
      year,
      job: outcomes.get(index)?.job ?? null,
      batchId: outcomes.get(index)?.batchId ?? null,
      file: present.has(index) ? file : null,
    })),
    styleOf: (model) => styleOf(client, model, signal),
  });
}

/** Null if the deployment no longer has the model. */
async function styleOf(
  client: SoilClient,
  model: string,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    return await client.modelStyle(model, { signal });
  } catch (error) {
    if (error instanceof SoilError && error.type === 'model-not-found') return null;
    throw error;
  }
}
