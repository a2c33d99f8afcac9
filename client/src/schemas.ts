import type { CreateBatch, JobRequest, operations } from './openapi.ts';

export type * from './openapi.ts';

/** The query of `GET …/results`. */
export type BatchResultsQuery = NonNullable<operations['getBatchResults']['parameters']['query']>;

/** The query of `GET /v1/batch`. */
export type ListBatchesQuery = NonNullable<operations['listBatches']['parameters']['query']>;

/**
 * A job to create. TypeScript infers the `type` of GeoJSON in a variable only as a string, so the service
 * checks it.
 */
export type NewJob = Omit<JobRequest, 'polygon'> & {
  readonly polygon: JobRequest['polygon'] | { readonly type: string };
};

/** A batch to create. */
export type NewBatch = Omit<CreateBatch, 'jobs'> & { readonly jobs: readonly NewJob[] };
