import type { Idempotency } from '../../lambdas/domain/admission/idempotency.ts';
import type { BatchOrder } from '../../lambdas/domain/batch/batch-order.ts';
import type { DeliveryMessage } from '../../lambdas/domain/delivery/outbox.ts';
import type { StepError } from '../../lambdas/domain/step-failure.ts';
import { BOW_TIE, FIELD } from './small-pack.ts';

/** What any step may be given; each reads its own members. */
export interface StepInput {
  readonly batch_id: string;
  readonly job_index: number;
  readonly patch_batches: readonly number[];
  readonly error: StepError | null;
  readonly tenant: string;
  readonly idempotency: Idempotency;
  readonly message: DeliveryMessage;
  readonly redelivered: boolean;
  /** When the invocation ends. */
  readonly deadline: Date;
}

export const SECRET = 'a secret of the client';

/** The jobs of every batch that is walked: a good one, a bow-tie, one whose covariate is gone, … */
const JOBS = [
  { polygon: FIELD, year: 2024, model: 'plain' },
  { polygon: BOW_TIE, year: 2024, model: 'plain' },
  { polygon: FIELD, year: 2024, model: 'gone' },
  { polygon: FIELD, year: 2024, model: 'plain' },
];

/** … and one whose request can't be read, whoever tries: a fault of the service that no retry repairs. */
export const UNREADABLE_JOB = 3;

export const CREATION: BatchOrder = orderOf(JOBS);

function orderOf(jobs: typeof JOBS): BatchOrder {
  const texts = jobs.map((job) => JSON.stringify(job));
  const entries = jobs.map((job, index) => ({
    offset: 1 + texts.slice(0, index).reduce((sum, text) => sum + text.length + 1, 0),
    length: texts[index]?.length ?? 0,
    name: null,
    ...job,
  }));
  return {
    jobs: { text: new TextEncoder().encode(`[${texts.join(',')}]`), entries },
    metadata: '{"field":"north"}',
    model: null,
    webhook: { url: 'https://example.org/hook', secret: SECRET, jobs: 'full' },
  };
}
