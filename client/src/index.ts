export {
  Batch,
  type PageOptions,
  type RequestOptions,
  type WaitOptions,
} from './batch/batch.ts';
export type { JobsOptions } from './batch/jobs.ts';
export { isFinal } from './batch/progress.ts';
export type { ResultRow, ResultsOptions, ResultsPage } from './batch/results.ts';
export {
  type CreateOptions,
  SoilClient,
  type SoilClientOptions,
  type Submission,
  type SubmitOptions,
  type SubmittedBatch,
} from './client.ts';
export type { DownloadOptions, DownloadProgress, DownloadResult } from './download/download.ts';
export type { ResultFile, Sink, SinkFile } from './download/sink.ts';
export { MemorySink } from './download/sink.ts';
export type { RetryPolicy } from './http/retries.ts';
export {
  type ClientProblem,
  SoilError,
  type SoilErrorType,
  type Violation,
} from './http/soil-error.ts';
export type { Fetch, Wait } from './http/transport.ts';
export type { ProblemType } from './openapi.ts';
export type * from './schemas.ts';
export type { BatchFields, Chunk } from './submit/chunks.ts';
export type {
  Feature,
  FeatureCollection,
  FeatureJob,
  JobsOfFeatures,
} from './submit/jobs-of-features.ts';
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
} from './webhook/verify-webhook.ts';
