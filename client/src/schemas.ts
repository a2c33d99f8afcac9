import type { components, operations } from './openapi.ts';

type Schemas = components['schemas'];

export type BatchCompleted = Schemas['BatchCompleted'];
export type BatchCreated = Schemas['BatchCreated'];
export type BatchList = Schemas['BatchList'];
export type BatchRetried = Schemas['BatchRetried'];
export type BatchState = Schemas['BatchState'];
export type BatchStatus = Schemas['BatchStatus'];
export type CreateBatch = Schemas['CreateBatch'];
export type Deliveries = Schemas['Deliveries'];
export type Estimate = Schemas['Estimate'];
export type Health = Schemas['Health'];
export type Job = Schemas['Job'];
export type JobDetail = Schemas['JobDetail'];
export type JobErrorCode = Schemas['JobErrorCode'];
export type JobEstimate = Schemas['JobEstimate'];
export type JobRequest = Schemas['JobRequest'];
export type Limits = Schemas['Limits'];
export type Model = Schemas['Model'];
export type ModelList = Schemas['ModelList'];
export type PatchBatch = Schemas['PatchBatch'];
export type Problem = Schemas['Problem'];
export type ResultTable = Schemas['ResultTable'];
export type RetryBatch = Schemas['RetryBatch'];
export type TestWebhook = Schemas['TestWebhook'];
export type Usage = Schemas['Usage'];
export type WebhookTested = Schemas['WebhookTested'];

/** The query of `GET …/results`. */
export type BatchResultsQuery = NonNullable<operations['getBatchResults']['parameters']['query']>;

/** The query of `GET /v1/batch`. */
export type ListBatchesQuery = NonNullable<operations['listBatches']['parameters']['query']>;
