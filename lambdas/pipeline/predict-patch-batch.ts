import { s3BodyClient } from '../adapters/clients.ts';
import { env } from '../adapters/environment.ts';
import { deployedPacks, publishedFiles } from '../adapters/packs/deployed-packs.ts';
import { s3Files } from '../adapters/packs/s3-files.ts';
import { vcpus } from '../adapters/processor.ts';
import { trackRemainingTime } from '../adapters/remaining-time.ts';
import { s3BlockStore } from '../adapters/s3/blocks.ts';
import { s3JobRequests } from '../adapters/s3/job-requests.ts';
import { sdkObjects } from '../adapters/s3/sdk-objects.ts';
import {
  type PredictPatchBatchPorts,
  predictPatchBatch,
} from '../domain/patch-batch/predict-patch-batch.ts';
import { measure } from '../observability/metrics.ts';
import { stores } from '../wiring.ts';
import { forEachOfShare, patchBatchInput, step } from './step.ts';

const s3 = s3BodyClient();
/** Buckets with covariates may be in any Region. */
const covariates = s3BodyClient({ followRegionRedirects: true });

const ports: PredictPatchBatchPorts = {
  ...stores(),
  jobRequests: s3JobRequests(sdkObjects(s3, env.WORK_BUCKET)),
  blocks: s3BlockStore(s3, env.WORK_BUCKET),
  catalogue: await deployedPacks(env, { https: publishedFiles(env), s3: s3Files(covariates) }),
  threads: vcpus(process.env),
};

export const handler = trackRemainingTime(
  forEachOfShare(
    step(
      'predict-patch-batch',
      patchBatchInput,
      ({ batch_id, job_index, patch_batch_idx }) =>
        predictPatchBatch(ports, batch_id, job_index, patch_batch_idx),
      {
        measured: (prediction) => {
          if (prediction.kind === 'nothing-to-do') return;
          if (prediction.kind === 'reused') return measure('PatchBatchesFinished', 1, 'reused');
          measure('PatchBatchesFinished', 1, 'predicted');
          measure('PredictionDuration', prediction.inferenceMs);
          measure('CellsPredicted', prediction.predictedPoints);
        },
      },
    ),
  ),
);
