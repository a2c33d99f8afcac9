import type { BatchDetail } from '../domain/dashboard/batch-detail.ts';
import type { RunningBatches } from '../domain/dashboard/running-batches.ts';

/** What there is to look at. */
export type View =
  | { readonly kind: 'board'; readonly board: RunningBatches }
  | { readonly kind: 'batch'; readonly detail: BatchDetail }
  | { readonly kind: 'no-batch'; readonly batchId: string };
