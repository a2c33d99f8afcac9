import type { BatchDetail } from '../domain/board/batch-detail.ts';
import type { Board } from '../domain/board/running-batches.ts';

/** What there is to look at. */
export type View =
  | { readonly kind: 'board'; readonly board: Board }
  | { readonly kind: 'batch'; readonly detail: BatchDetail }
  | { readonly kind: 'no-batch'; readonly batchId: string };
