import { expect } from 'vitest';
import type { Pack } from '../../../../engine/model/pack/pack.ts';
import { planJob } from '../../../../lambdas/domain/job/planning/plan-job.ts';
import type { SparseJob } from '../../../../local/in-memory/files.ts';
import { aDeployment, meuse, postBatch } from '../../../support/domain/deployment.ts';

export async function planOnlyJob(
  job: SparseJob,
  packs?: readonly Pack[],
  model: string | null = null,
) {
  const deployment = aDeployment(packs);
  const { batch_id: batchId } = await postBatch(deployment, [job], { model });
  const planning = await planJob(deployment, batchId, 0);
  return { deployment, batchId, planning, record: await deployment.jobs.read(batchId, 0) };
}

export const errorOf = async (...given: Parameters<typeof planOnlyJob>) => {
  const { planning, record } = await planOnlyJob(...given);
  if (planning.kind !== 'refused') throw new Error(`was ${planning.kind}`);
  expect(record).toMatchObject({ status: 'failed', error: planning.error });
  return planning.error;
};

export function makeVariant(version: string, changes: Partial<Pack['manifest']>): Pack {
  const manifest = { ...meuse.manifest, ...changes, version };
  return { ...meuse, ref: `${manifest.id}@${version}`, manifest };
}

/** The Meuse pack with cells that are the given number of times smaller. */
export function makeFiner(version: string, times: number): Pack {
  const { grid } = meuse.manifest;
  const [width, height] = [grid.width * times, grid.height * times];
  return makeVariant(version, {
    grid: { ...grid, cell_size: grid.cell_size / times, width, height },
  });
}
