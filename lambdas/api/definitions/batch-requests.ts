import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from '#engine/json/json-object.ts';
import meuse from '../../../examples/meuse-batch.json' with { type: 'json' };
import { LIMITS } from '../../domain/limits.ts';
import { name, SURROGATE } from '../requests/names.ts';
import { named } from '../specification/published.ts';
import { multiPolygon, polygon, polygonFeature } from './geojson.ts';

function isSecret(text: string): boolean {
  const bytes = Buffer.byteLength(text, 'utf8');
  return !SURROGATE.test(text) && bytes >= 1 && bytes <= LIMITS.webhookSecretBytes;
}

/** A field that may be absent. Clients that send each unset field as null mean the same. */
export const optionalField = <Field extends z.core.$ZodType>(field: Field, description: string) =>
  z.nullish(field).check(z.describe(description));

/** The error of each schema says what is allowed; `violationsOf` adds what was received. */
const modelReference = z
  .string({ error: 'must be a model reference, a string like "meuse-soc" or "meuse-soc@1.0.0"' })
  .check(
    z.regex(/^[a-z0-9][a-z0-9._-]{0,99}(@[0-9A-Za-z.+-]{1,50})?$/, {
      error: 'must be a model reference like "meuse-soc" or "meuse-soc@1.0.0"',
    }),
  );

const jsonObject = () => z.record(z.string(), z.unknown());

/** {@link jsonObject} for validation of requests: `z.record` would copy up to half a million fields. */
const objectAsSent = (error: string) => z.custom<JsonObject>(isJsonObject, { error });

const POLYGON_RULE =
  'must be a GeoJSON object: a Polygon, a MultiPolygon, or a Feature of one (RFC 7946, WGS 84)';
const PROPERTIES_RULE = 'must be a JSON object; omit it for none';
const METADATA_RULE = 'must be a JSON object; omit it for none';

export const jobRequest = named(
  'JobRequest',
  z.strictObject(
    {
      polygon: z
        .union([polygon, multiPolygon, polygonFeature])
        .check(
          z.describe(
            `GeoJSON Polygon, MultiPolygon, or a Feature of one (RFC 7946, WGS 84), of at most ${LIMITS.verticesPerJob} vertices; \`GET /v1/limits\` has the largest area. An invalid one fails only its job, also null or text`,
          ),
        ),
      // Any year is valid here. A year without data fails its job, not the request.
      year: z
        .int({ error: 'must be a whole number, such as 2024' })
        .check(
          z.describe(
            `The year to predict, from ${LIMITS.years.first} to ${LIMITS.years.last}; another, or one for which the model has no data, fails only the job`,
          ),
        ),
      name: optionalField(name, 'Your name for the job; by default the id of its Feature'),
      properties: optionalField(
        named('JobProperties', jsonObject()),
        `Your own data, at most ${LIMITS.propertiesBytes} bytes as JSON without white space; by default the \`properties\` of its Feature, which are dropped with a warning if they are larger. V2 returns them in the job status`,
      ),
      model: optionalField(modelReference, 'A model for this job, instead of the batch’s'),
    },
    { error: nested('must be an object with polygon and year') },
  ),
);

const webhookJobs = named(
  'WebhookJobs',
  z.enum(['full', 'none'], { error: 'must be "full" or "none"' }),
);

const JOBS_RULE = `must be an array of 1 to ${LIMITS.jobsPerBatch} jobs`;
const URL_RULE = `must be an absolute URL of at most ${LIMITS.webhookUrlCharacters} characters`;
const SECRET_RULE = `must be a string of 1 to ${LIMITS.webhookSecretBytes} bytes of UTF-8`;

export const webhookUrl = z
  .string({ error: URL_RULE })
  .check(z.maxLength(LIMITS.webhookUrlCharacters, { error: URL_RULE }), z.meta({ format: 'uri' }));

export const webhookSecret = z
  .string({ error: SECRET_RULE })
  .check(
    z.refine(isSecret, { error: SECRET_RULE }),
    z.meta({ minLength: 1, maxLength: LIMITS.webhookSecretBytes }),
  );

export const createRequest = named(
  'CreateBatch',
  z.strictObject(
    {
      jobs: z
        .array(jobRequest, { error: JOBS_RULE })
        .check(
          z.minLength(1, { error: JOBS_RULE }),
          z.maxLength(LIMITS.jobsPerBatch, { error: JOBS_RULE }),
          z.describe(`1 to ${LIMITS.jobsPerBatch}`),
        ),
      name: optionalField(name, 'Your name for the batch; a list can be filtered by it'),
      metadata: optionalField(
        named('BatchMetadata', jsonObject()),
        `Your own data, at most ${LIMITS.metadataBytes} bytes of UTF-8; returned byte for byte in status and webhook`,
      ),
      webhook_url: optionalField(webhookUrl, 'Receives the outcome, over https'),
      webhook_secret: optionalField(
        webhookSecret,
        `Signs the webhook; at most ${LIMITS.webhookSecretBytes} bytes of UTF-8; never returned`,
      ),
      webhook_jobs: optionalField(
        webhookJobs,
        'Whether the webhook contains the jobs; `full` by default',
      ),
      model: optionalField(
        modelReference,
        'A model `id` or `id@version`; by default the first model whose coverage contains the polygon and that has data for the year',
      ),
    },
    { error: nested('must be a JSON object with jobs') },
  ),
);

/** Validates one job of a request: {@link jobRequest}, with any value as its polygon. */
export const jobSchema = z.extend(jobRequest, {
  polygon: z.custom<unknown>((value) => value !== undefined, { error: POLYGON_RULE }),
  properties: z.nullish(objectAsSent(PROPERTIES_RULE)),
});

function isJobList(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= LIMITS.jobsPerBatch;
}

/**
 * Validates a creation request except its jobs, which are validated one by one, so that validation can
 * stop after enough violations.
 */
export const envelopeSchema = z.extend(createRequest, {
  jobs: z.custom<readonly unknown[]>(isJobList, { error: JOBS_RULE }),
  metadata: z.nullish(objectAsSent(METADATA_RULE)),
});

export type CreateEnvelope = z.infer<typeof envelopeSchema>;
export type JobRequest = z.infer<typeof jobSchema>;

/** The error of a value that is no object. `violationsOf` writes the message for unknown fields. */
export function nested(typeRule: string) {
  return (issue: { readonly code?: string }) =>
    issue.code === 'unrecognized_keys' ? undefined : typeRule;
}

const INDEXES_RULE = `must be an array of 1 to ${LIMITS.jobsPerBatch} indexes of jobs of the batch`;
const INDEX_RULE = 'must be the index of a job of the batch, a whole number from 0';

export const retryRequest = named(
  'RetryBatch',
  z.strictObject(
    {
      only: optionalField(
        z.enum(['failed', 'retryable'], { error: 'must be "failed" or "retryable"' }),
        '`failed`, the default: every failed job. `retryable`: only those with `error_retryable` true',
      ),
      jobs: optionalField(
        z
          .array(z.int({ error: INDEX_RULE }).check(z.nonnegative({ error: INDEX_RULE })), {
            error: INDEXES_RULE,
          })
          .check(
            z.minLength(1, { error: INDEXES_RULE }),
            z.maxLength(LIMITS.jobsPerBatch, { error: INDEXES_RULE }),
          ),
        '`job_index` of the jobs to choose from; by default all',
      ),
    },
    { error: nested('must be a JSON object; omit it to retry every failed job') },
  ),
);

/** What the OpenAPI document shows: two jobs of the example batch. */
export const createRequestExample = {
  jobs: meuse.jobs.slice(1, 3),
  metadata: { order: 'A-1042' },
  webhook_url: 'https://example.com/soil',
  webhook_secret: 'your webhook secret',
};
