import type { Batch } from '../../lambdas/domain/batch/batch.ts';
import type { RetryClaim } from '../../lambdas/domain/batch/retry-selection.ts';
import type { BusEvent } from '../../lambdas/domain/delivery/bus-outbox.ts';
import type { OutboxEvent } from '../../lambdas/domain/delivery/outbox.ts';
import type { JobRecord } from '../../lambdas/domain/job/job.ts';
import type { PatchBatchRecord, Plan } from '../../lambdas/domain/patch-batch/patch-batch.ts';
import type { Charges } from './charges.ts';

/** State shared by the in-memory stores. */
export interface State {
  readonly charges: Charges;
  readonly batches: Map<string, Batch>;
  readonly metadata: Map<string, string>;
  readonly retries: Map<string, RetryClaim>;
  readonly outbox: Map<string, OutboxEvent>;
  /** Events that are not published yet. */
  readonly busEvents: Map<string, BusEvent>;
  readonly jobs: Map<string, JobRecord>;
  readonly plans: Map<string, Plan>;
  readonly patchBatches: Map<string, PatchBatchRecord>;
  isLive(batchId: string): boolean;
}

export const live = <T>(state: State, batchId: string, item: T | undefined): T | null =>
  item !== undefined && state.isLive(batchId) ? item : null;

export const jobName = (batchId: string, index: number): string =>
  `${batchId}/${String(index).padStart(6, '0')}`;

/** Items have their batch's expiry, so nothing can be written for a batch that does not exist. */
export function requireBatch(state: State, batchId: string): void {
  if (!state.isLive(batchId)) throw new Error(`batch ${batchId} does not exist`);
}
