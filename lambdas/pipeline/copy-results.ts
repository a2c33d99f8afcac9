import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod/mini';
import { s3BodyClient, stsClient } from '../adapters/clients.ts';
import { stsClientBuckets } from '../adapters/destination/client-buckets.ts';
import { env } from '../adapters/environment.ts';
import { s3ResultFiles } from '../adapters/s3/rasters.ts';
import {
  type CopyResultsPorts,
  copyMissing,
  copyResult,
} from '../domain/destination/copy-results.ts';
import { storedDestination } from '../domain/destination/destination.ts';
import { TENANT_NAME } from '../domain/tenant/tenant.ts';
import { observeBatches } from '../observability/log.ts';
import { resultDocuments } from '../results/result-documents.ts';
import { catalogue, jobRequests, serviceTrust, stores } from '../wiring.ts';
import { batchInput, jobInput, step } from './step.ts';

const { batches, knownBatch } = observeBatches(stores().batches);
const clientBuckets = stsClientBuckets(stsClient(), serviceTrust());
const resultFiles = s3ResultFiles(s3BodyClient(), env.RESULTS_BUCKET);
const ports: CopyResultsPorts = {
  ...stores(),
  batches,
  jobRequests: jobRequests(),
  clientBuckets,
  resultFiles,
  documents: resultDocuments({ catalogue: catalogue(), resultFiles }),
  pause: (seconds) => sleep(seconds * 1_000),
};

const copyResultStep = step(
  'copy-result',
  jobInput,
  ({ batch_id, job_index }) => copyResult(ports, batch_id, job_index),
  { knownBatch },
);

const copyMissingStep = step(
  'copy-missing',
  batchInput,
  ({ batch_id }) => copyMissing(ports, batch_id),
  { knownBatch, toOutput: ({ kind }) => ({ more: kind === 'cut-short' }) },
);

const checkStep = step(
  'check-destination',
  z.object({
    destination: z.omit(storedDestination, { base_url: true }),
    tenant: z.string().check(z.regex(TENANT_NAME)),
  }),
  async ({ destination, tenant }) => {
    const failure = await clientBuckets.checkDestination({ ...destination, tenant });
    const kind = failure === null ? 'accepted' : 'refused';
    return { kind, step: failure?.step ?? null, refusal: failure?.code ?? null };
  },
  {
    toOutput: ({ step: at, refusal: code }) => ({
      failure: at === null ? null : { step: at, code },
    }),
  },
);

const STEPS = {
  'copy-result': copyResultStep,
  'copy-missing': copyMissingStep,
  'check-destination': checkStep,
};

const input = z.looseObject({
  step: z.enum(['copy-result', 'copy-missing', 'check-destination']),
});

/**
 * The only function that may assume the roles of clients: it copies results to destinations, and checks destinations.
 */
export async function handler(event: unknown): Promise<object> {
  return STEPS[input.parse(event).step](event);
}
