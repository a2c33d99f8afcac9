import type { operations } from './openapi.ts';

export type * from './openapi.ts';

/** The query of `GET …/results`. */
export type BatchResultsQuery = NonNullable<operations['getBatchResults']['parameters']['query']>;

/** The query of `GET /v1/batch`. */
export type ListBatchesQuery = NonNullable<operations['listBatches']['parameters']['query']>;
