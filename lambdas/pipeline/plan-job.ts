import { listCovariateFiles } from '#engine/model/covariates/covariate-files.ts';
import { readDeployedDigests } from '#engine/model/pack/digests.ts';
import { s3BodyClient } from '../adapters/clients.ts';
import { env } from '../adapters/environment.ts';
import { deployedPacks, publishedFiles, withSources } from '../adapters/packs/deployed-packs.ts';
import { s3Files } from '../adapters/packs/s3-files.ts';
import { trackRemainingTime } from '../adapters/remaining-time.ts';
import { type PlanJobPorts, planJob } from '../domain/job/planning/plan-job.ts';
import { observeBatches } from '../observability/log.ts';
import { measure } from '../observability/metrics.ts';
import { jobRequests, stores } from '../wiring.ts';
import { jobInput, step } from './step.ts';

/** Buckets with covariates may be in any Region. */
const covariates = s3BodyClient({ followRegionRedirects: true });

const { batches, knownBatch } = observeBatches(stores().batches);
const ports: PlanJobPorts = {
  ...stores(),
  batches,
  jobRequests: jobRequests(),
  catalogue: await deployedPacks(env),
  packDigests: readDeployedDigests,
  // New readers for each plan, because a reader keeps to the file version that it saw first.
  covariateFiles: (pack) =>
    listCovariateFiles(withSources(pack, { https: publishedFiles(env), s3: s3Files(covariates) })),
};

/** The output includes the tenant, so that later steps need not read it for their log entry. */
export const handler = trackRemainingTime(
  step('plan-job', jobInput, ({ batch_id, job_index }) => planJob(ports, batch_id, job_index), {
    toOutput: (planning, { batch_id }) => ({
      shares: planning.kind === 'planned' ? planning.shares : [],
      tenant: knownBatch(batch_id)?.tenant ?? null,
    }),
    knownBatch,
    measured: ({ kind }) => {
      if (kind === 'refused') measure('JobsFinished', 1, 'refused');
    },
  }),
);
