import { finishBatch } from '../../../../lambdas/domain/batch/finish-batch.ts';
import { retryBatch } from '../../../../lambdas/domain/batch/retry-batch.ts';
import { finishJob } from '../../../../lambdas/domain/job/finishing/finish-job.ts';
import { failPatchBatch } from '../../../../lambdas/domain/patch-batch/fail-patch-batch.ts';
import { predictPatchBatch } from '../../../../lambdas/domain/patch-batch/predict-patch-batch.ts';
import { aPlannedJob, RESULT } from '../../../support/domain/builders.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';
import { FIELD, FLOOD_PLAIN } from '../../../support/domain/polygons.ts';
import { plan } from '../../../support/domain/run-job.ts';

export const AT = '2026-03-01T10:00:00.000Z';
export const WEBHOOK = {
  url: 'https://example.org/hook',
  secret_ciphertext: 'c2VjcmV0',
  jobs: 'full',
} as const;

export const DESTINATION = {
  bucket: 'farm',
  prefix: 'soil',
  role_arn: 'arn:aws:iam::111122223333:role/soil-batch',
  base_url: 'https://v2.soil.example',
};

/** Finishes a batch with a completed job, a job with a failed patch-batch and `done` predicted ones, and a pending job. */
export async function makePartialBatch(done = 0) {
  const deployment = aDeployment();
  const jobs = [
    { polygon: FIELD, year: 2024, name: 'field' },
    { polygon: FLOOD_PLAIN, year: 2024, name: 'flood plain' },
    { polygon: FIELD, year: 2023, name: 'späte Äcker' },
  ];
  const changes = { webhook: WEBHOOK, model: 'meuse-soc', destination: DESTINATION };
  const { batch_id: batchId, tenant } = await postBatch(deployment, jobs, changes);
  await deployment.jobs.begin(batchId, 0, aPlannedJob(), AT);
  await deployment.jobs.complete(batchId, 0, AT, RESULT);
  await plan(deployment, batchId, 1);
  await failPatchBatch(deployment, batchId, 1, 0, { Error: 'States.Timeout' });
  for (let idx = 1; idx <= done; idx++) await predictPatchBatch(deployment, batchId, 1, idx);
  await finishJob(deployment, batchId, 1, null);
  await finishBatch(deployment, batchId);
  return { deployment, batchId, tenant };
}

export async function runRetry(deployed: Awaited<ReturnType<typeof makePartialBatch>>) {
  const retry = await retryBatch(deployed.deployment, deployed.tenant, deployed.batchId);
  if (retry.kind !== 'accepted') throw new Error(JSON.stringify(retry));
  return retry.batch;
}
