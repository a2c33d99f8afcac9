import type { BatchDetail } from '../domain/dashboard/batch-detail.ts';
import type { RunningBatches } from '../domain/dashboard/running-batches.ts';

/** The content of one page. */
export type View =
  | { readonly kind: 'board'; readonly batches: RunningBatches }
  | { readonly kind: 'batch'; readonly detail: BatchDetail }
  | { readonly kind: 'no-batch'; readonly batchId: string };
