import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from '#engine/json/json-object.ts';
import meuse from '../../../examples/meuse-batch.json' with { type: 'json' };
import type { BodySize } from '../../domain/admission/request-rate.ts';
import { LIMITS } from '../../domain/limits.ts';
import { name, objectError, optionalField } from '../http/fields.ts';
import { named } from '../specification/published.ts';
import { destination } from './destination-fields.ts';
import { multiPolygon, polygon, polygonFeature } from './geojson.ts';
import { EXAMPLE_SECRET, webhookSecret, webhookUrl } from './webhook-fields.ts';

/** Each schema's error says what is allowed; `toViolations` adds what was received. */
const modelReference = z
  .string({ error: 'must be a model reference, a string like "meuse-soc" or "meuse-soc@1.0.0"' })
  .check(
    z.regex(/^[a-z0-9][a-z0-9._-]{0,99}(@[0-9A-Za-z.+-]{1,50})?$/, {
      error: 'must be a model reference like "meuse-soc" or "meuse-soc@1.0.0"',
    }),
  );

const jsonObject = () => z.record(z.string(), z.unknown());

/** Avoids the copy that `z.record` would make of an object with very many fields. */
const objectAsSent = (error: string) => z.custom<JsonObject>(isJsonObject, { error });

const POLYGON_RULE =
  'must be a GeoJSON object: a Polygon, a MultiPolygon, or a Feature of one (RFC 7946, WGS 84)';

function yearError({ input }: { readonly input?: unknown }): string {
  return typeof input === 'number' && Math.abs(input) > Number.MAX_SAFE_INTEGER
    ? `is out of range: must be a year from ${LIMITS.years.first} to ${LIMITS.years.last}`
    : 'must be a whole number, such as 2024';
}

const PROPERTIES_RULE = 'must be a JSON object, or be omitted';

const METADATA_RULE = 'must be a JSON object, or be omitted';

export const jobRequest = named(
  'JobRequest',
  z.strictObject(
    {
      polygon: z
        .union([polygon, multiPolygon, polygonFeature])
        .check(
          z.describe(
            `GeoJSON Polygon, MultiPolygon, or a Feature of one (RFC 7946, WGS 84), of at most ${LIMITS.verticesPerJob} vertices; \`GET /v1/limits\` returns the largest area. An invalid value, even null or text, fails only its job`,
          ),
        ),
      // Any year is valid here. A year without data fails its job rather than the request.
      year: z
        .int({ error: yearError })
        .check(
          z.describe(
            `The year to predict, from ${LIMITS.years.first} to ${LIMITS.years.last}; another year, or one for which the model has no data, fails only its job`,
          ),
        ),
      name: optionalField(name, 'Your name for the job; by default the ID of its Feature'),
      properties: optionalField(
        named('JobProperties', jsonObject()),
        `Your own data, at most ${LIMITS.propertiesBytes} bytes as JSON without white space; by default the \`properties\` of its Feature, which are dropped with a warning if they are larger or nest too deep. Returned in the results and, on V2, in the job status`,
      ),
      model: optionalField(modelReference, 'A model for this job, instead of the batch’s'),
    },
    { error: objectError('must be an object with polygon and year') },
  ),
);

const webhookJobs = named(
  'WebhookJobs',
  z.enum(['full', 'none'], { error: 'must be "full" or "none"' }),
);

const JOBS_RULE = `must be an array of 1 to ${LIMITS.jobsPerBatch} jobs`;

export const createRequest = named(
  'CreateBatch',
  z.strictObject(
    {
      jobs: z
        .array(jobRequest, { error: JOBS_RULE })
        .check(
          z.minLength(1, { error: JOBS_RULE }),
          z.maxLength(LIMITS.jobsPerBatch, { error: JOBS_RULE }),
          z.describe(`From 1 to ${LIMITS.jobsPerBatch} jobs`),
        ),
      name: optionalField(
        name,
        'Your name for the batch, by which the list of batches can be filtered',
      ),
      metadata: optionalField(
        named('BatchMetadata', jsonObject()),
        `Your own data, at most ${LIMITS.metadataBytes} bytes of UTF-8; returned byte for byte in the batch status and the webhook`,
      ),
      webhook_url: optionalField(
        webhookUrl,
        'Receives the outcome: an `https` URL, or an `http` URL, over which anyone on the network path can read the signed URLs. Must not contain a user or password; `""` means no webhook',
      ),
      webhook_secret: optionalField(
        webhookSecret,
        `Signs the webhook; at most ${LIMITS.webhookSecretBytes} bytes of UTF-8; never returned`,
      ),
      webhook_jobs: optionalField(
        webhookJobs,
        'Whether the webhook contains the jobs; `full` by default',
      ),
      destination: optionalField(
        destination,
        `Copies results to your bucket as jobs complete; \`GET /v1/limits\` has the trust policy for the role. 422 if the role or the bucket refuses access, or if all job names together have more than ${LIMITS.nameBytesWithDestination} bytes as JSON`,
      ),
      model: optionalField(
        modelReference,
        'A model `id` or `id@version`; by default, of the models that can be chosen automatically and have data for the year, the first whose coverage contains the polygon, or else the first whose coverage overlaps it',
      ),
    },
    { error: objectError('must be a JSON object with jobs') },
  ),
);

/** Validates one job of a request like {@link jobRequest}, but with any value as its polygon. */
export const acceptedJob = z.extend(jobRequest, {
  polygon: z.custom<unknown>((value) => value !== undefined, { error: POLYGON_RULE }),
  properties: z.nullish(objectAsSent(PROPERTIES_RULE)),
});

function isJobList(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= LIMITS.jobsPerBatch;
}

/** Validates a creation request without its jobs, which {@link acceptedJob} validates one by one. */
export const envelopeSchema = z.extend(createRequest, {
  jobs: z.custom<readonly unknown[]>(isJobList, { error: JOBS_RULE }),
  metadata: z.nullish(objectAsSent(METADATA_RULE)),
});

export type CreateEnvelope = z.infer<typeof envelopeSchema>;

export type AcceptedJob = z.infer<typeof acceptedJob>;

/** The OpenAPI document shows two jobs of the example batch. */
export const createRequestExample = {
  jobs: meuse.jobs.slice(1, 3),
  metadata: { order: 'A-1042' },
  webhook_url: 'https://example.com/soil',
  webhook_secret: EXAMPLE_SECRET,
};

export function weightText({ jobs, bodyBytes }: BodySize): string {
  return `Counts against the request rate as one request for each ${jobs} jobs or ${bodyBytes / 1_000} kB of the decompressed body, whichever is more, up to half of \`requests_at_once\` (\`GET /v1/limits\`).`;
}
