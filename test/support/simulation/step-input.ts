import type { Idempotency } from '../../../lambdas/domain/admission/idempotency.ts';
import type { RequestedBatch } from '../../../lambdas/domain/batch/requested-batch.ts';
import type { DeliveryMessage } from '../../../lambdas/domain/delivery/outbox.ts';
import type { NamedRun } from '../../../lambdas/domain/identity.ts';
import type { PipelineStepInput } from '../../../local/dev/pipeline.ts';
import { withDefaults } from '../../../local/in-memory/files.ts';
import { BOW_TIE, FIELD } from './small-pack.ts';

/** Each step reads only the fields that it needs. */
export interface StepInput extends PipelineStepInput {
  readonly tenant: string;
  readonly idempotency: Idempotency;
  /** @default CREATION */
  readonly creation?: RequestedBatch;
  readonly run: NamedRun;
  readonly message: DeliveryMessage;
  readonly receivedBefore: boolean;
  /** When the invocation times out. */
  readonly deadline: Date;
}

export const SECRET = 'a secret of the client';

/** The jobs of a whole batch: a valid job, a bow-tie, a job whose covariate is missing, and {@link UNREADABLE_JOB}. */
const JOBS = [
  { polygon: FIELD, year: 2024, model: 'plain' },
  { polygon: BOW_TIE, year: 2024, model: 'plain' },
  { polygon: FIELD, year: 2024, model: 'gone' },
  { polygon: FIELD, year: 2024, model: 'plain' },
];

/** The index of a job whose request can never be read. This is a fault of the service that no retry resolves. */
export const UNREADABLE_JOB = 3;

export const CREATION: RequestedBatch = createOrder(JOBS);
export const CREATION_OF_ONE: RequestedBatch = createOrder(JOBS.slice(0, 1));

export const COPIED_CREATION: RequestedBatch = {
  ...CREATION,
  destination: {
    bucket: 'farm',
    prefix: 'soil',
    role_arn: 'arn:aws:iam::111122223333:role/soil-batch',
    base_url: 'https://v2.soil.example',
  },
};

function createOrder(jobs: typeof JOBS): RequestedBatch {
  return {
    jobs: jobs.map(withDefaults),
    name: null,
    metadata: '{"field":"north"}',
    model: null,
    webhook: { url: 'https://example.org/hook', secret: SECRET, jobs: 'full' },
    destination: null,
  };
}
