import { covariateFiles } from '#engine/model/covariates/covariate-files.ts';
import { deployedDigests } from '#engine/model/pack/digests.ts';
import { dynamoDbClient, s3BodyClient, s3Client } from '../adapters/clients.ts';
import { dynamoBatchStore } from '../adapters/dynamodb/batches.ts';
import { dynamoJobStore } from '../adapters/dynamodb/jobs.ts';
import { dynamoPatchBatchStore } from '../adapters/dynamodb/patch-batches.ts';
import { openTable } from '../adapters/dynamodb/table.ts';
import { env } from '../adapters/environment.ts';
import { deployedPacks, publishedFiles, withSources } from '../adapters/packs/deployed-packs.ts';
import { s3Files } from '../adapters/packs/s3-files.ts';
import { timed } from '../adapters/remaining-time.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { sdkObjects } from '../adapters/s3/sdk-objects.ts';
import { type PlanJobPorts, planJob } from '../domain/job/planning/plan-job.ts';
import { observeBatches } from '../observability/log.ts';
import { measure } from '../observability/metrics.ts';
import { jobInput, step } from './step.ts';

const table = openTable(env.TABLE_NAME, dynamoDbClient());

/** Buckets of packs may be in any region. */
const covariates = s3BodyClient({ followRegionRedirects: true });

const { batches, knownBatch } = observeBatches(dynamoBatchStore(table));
const ports: PlanJobPorts = {
  batches,
  jobs: dynamoJobStore(table),
  patchBatches: dynamoPatchBatchStore(table),
  jobRequests: s3JobRequests(sdkObjects(s3Client(), env.WORK_BUCKET)),
  catalogue: await deployedPacks(env),
  packDigests: deployedDigests,
  // New readers, because a reader keeps to the version that it saw first.
  covariateFiles: (pack) =>
    covariateFiles(withSources(pack, { https: publishedFiles(env), s3: s3Files(covariates) })),
  clock: table.clock,
};

/**
 * Returns the indexes of the patch-batches, by share (empty if there is nothing to predict), and the
 * tenant, so that later steps need not read it for their log entry.
 */
export const handler = timed(
  step(
    'plan-job',
    jobInput,
    ({ batch_id, job_index }) => planJob(ports, batch_id, job_index),
    (planning, { batch_id }) => ({
      shares: planning.kind === 'planned' ? planning.shares : [],
      tenant: knownBatch(batch_id)?.tenant ?? null,
    }),
    {
      knownBatch,
      measured: ({ kind }) => {
        if (kind === 'refused') measure('JobsFinished', 1, 'refused');
      },
    },
  ),
);
