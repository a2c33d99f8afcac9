import * as z from 'zod';

const amount = z.number().int().positive();

/** What `GET /v1/limits` answers. */
export const limitsResponse = z.strictObject({
  jobs_per_batch: amount.describe('Jobs one batch may hold'),
  body_bytes: amount.describe('Bytes of a request body, after unpacking'),
  metadata_bytes: amount.describe('Bytes of `metadata` as UTF-8 text'),
  json_depth: amount.describe('Levels of arrays and objects in a body'),
  name_characters: amount.describe('Characters of a job’s `name`'),
  webhook_url_characters: amount.describe('Characters of `webhook_url`'),
  webhook_secret_bytes: amount.describe('Bytes of `webhook_secret` as UTF-8'),
  vertices_per_job: amount.describe('Vertices of one job’s polygon, over all its rings'),
  vertices_per_job_in_full_batch: amount.describe(
    'Vertices every polygon may have when `jobs_per_batch` of them share one body, written with 6 decimals of a degree (0.1 m) and without white space',
  ),
  hectares_per_job: amount.describe('Ground area of one job of your tenant, in hectares'),
  patch_batches_per_job: amount.describe('Patch-batches one job may be split into'),
  page_size: z
    .strictObject({ default: amount, max: amount })
    .describe('Members of one page of jobs or patch-batches'),
  batches_page_size: z
    .strictObject({ default: amount, max: amount })
    .describe('Members of one page of batches'),
  requests_per_minute: amount.describe(
    'Requests with a key, over all operations and keys of your tenant; more are answered 429 `throttled`',
  ),
  requests_at_once: amount.describe('How many of these may come together, after a pause'),
  running_batches: amount.describe(
    'Batches of your tenant that run at a time; the others wait as `pending` for their turn',
  ),
  estimate_seconds: amount.describe('After this long an estimate plans no further job'),
  signed_url_seconds: amount.describe('How long a signed URL is valid'),
  retention_days: amount.describe('Days from creation to `results_expire_at`'),
});

export type LimitsResponse = z.infer<typeof limitsResponse>;
