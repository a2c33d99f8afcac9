import { readDeployedDigests } from '#engine/model/pack/digests.ts';
import { s3BodyClient } from '../adapters/clients.ts';
import { env } from '../adapters/environment.ts';
import { deployedPacks } from '../adapters/packs/deployed-packs.ts';
import { s3BlockStore } from '../adapters/s3/blocks.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { s3FinishedRasters, s3RasterUploads } from '../adapters/s3/rasters.ts';
import { sdkObjects } from '../adapters/s3/sdk-objects.ts';
import { type CompleteJobPorts, completeJob } from '../domain/job/finishing/complete-job.ts';
import { measureJob } from '../observability/measure-finish.ts';
import { jobPredictionErrors, stores } from '../wiring.ts';
import { jobInput, step } from './step.ts';

const s3 = s3BodyClient();

const ports: CompleteJobPorts = {
  ...stores(),
  jobRequests: s3JobRequests(sdkObjects(s3, env.WORK_BUCKET)),
  blocks: s3BlockStore(s3, env.WORK_BUCKET),
  rasters: {
    ...s3FinishedRasters(s3, env.RESULTS_BUCKET),
    ...s3RasterUploads(s3, { results: env.RESULTS_BUCKET, work: env.WORK_BUCKET }),
  },
  jobPredictionErrors: jobPredictionErrors(),
  catalogue: await deployedPacks(env),
  packDigests: readDeployedDigests,
  version: env.SERVICE_VERSION,
};

export const handler = step(
  'assemble-raster',
  jobInput,
  ({ batch_id, job_index }) => completeJob(ports, batch_id, job_index),
  { measured: measureJob },
);
