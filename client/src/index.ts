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
} from './client.ts';
export type { DownloadableJob } from './download/download.ts';
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
export {
  type VerifyOptions,
  verifyWebhook,
  type WebhookHeaders,
} from './webhook/verify-webhook.ts';
