import * as z from 'zod/mini';
import meuse from '../../../../examples/meuse-batch.json' with { type: 'json' };
import { LIMITS } from '../../../domain/limits.ts';
import { isJsonObject, type JsonObject } from '../../../json/json-object.ts';
import { named } from '../../specification/published.ts';

const SURROGATE = /\p{Surrogate}/u;

/** As people count: a character outside the basic plane is one. */
export function charactersIn(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

function isName(text: string): boolean {
  return !SURROGATE.test(text) && charactersIn(text) <= LIMITS.nameCharacters;
}

export function isSecret(text: string): boolean {
  const bytes = Buffer.byteLength(text, 'utf8');
  return !SURROGATE.test(text) && bytes >= 1 && bytes <= LIMITS.webhookSecretBytes;
}

/** Each schema's error says what is allowed; what came is added where the value is known. */
const modelReference = (description: string) =>
  z
    .string({ error: 'must be a model reference, a string like "meuse-soc" or "meuse-soc@1.0.0"' })
    .check(
      z.regex(/^[a-z0-9][a-z0-9._-]{0,99}(@[0-9A-Za-z.+-]{1,50})?$/, {
        error: 'must be a model reference like "meuse-soc" or "meuse-soc@1.0.0"',
      }),
      z.describe(description),
    );

const jsonObject = (error: string, description: string) =>
  z.record(z.string(), z.unknown(), { error }).check(z.describe(description));

/** {@link jsonObject} as requests are judged by it: a record would copy half a million members. */
const objectAsSent = (error: string) => z.custom<JsonObject>(isJsonObject, { error });

const POLYGON_RULE =
  'must be a GeoJSON object: a Polygon, a MultiPolygon, or a Feature of one (RFC 7946, WGS 84)';
const METADATA_RULE = 'must be a JSON object; leave it out for none';

const NAME_RULE = `must be a string of at most ${LIMITS.nameCharacters} characters of well-formed Unicode`;

const name = z.string({ error: NAME_RULE }).check(
  z.refine(isName, { error: NAME_RULE }),
  z.meta({
    description: 'Yours; by default the id of a Feature',
    maxLength: LIMITS.nameCharacters,
  }),
);

export const jobRequest = named(
  'JobRequest',
  z.strictObject(
    {
      polygon: jsonObject(
        POLYGON_RULE,
        `GeoJSON Polygon, MultiPolygon, or a Feature of one (RFC 7946, WGS 84), of at most ${LIMITS.verticesPerJob} vertices; how large it may be \`GET /v1/limits\` tells`,
      ),
      // Any year: whether a model has data for it is the model's to judge, and fails only the job.
      year: z
        .int({ error: 'must be a whole number, such as 2024' })
        .check(
          z.describe('The year to predict; whether a model has data for it is judged job by job'),
        ),
      name: z.optional(name),
      model: z.optional(modelReference('For this job, in place of the batch’s')),
    },
    { error: nested('must be an object with polygon and year') },
  ),
);

const JOBS_RULE = `must be an array of 1 to ${LIMITS.jobsPerBatch} jobs`;
const URL_RULE = `must be an absolute URL of at most ${LIMITS.webhookUrlCharacters} characters`;
const SECRET_RULE = `must be a string of 1 to ${LIMITS.webhookSecretBytes} bytes of UTF-8`;

export const webhookUrl = (description: string) =>
  z
    .string({ error: URL_RULE })
    .check(
      z.maxLength(LIMITS.webhookUrlCharacters, { error: URL_RULE }),
      z.meta({ description, format: 'uri' }),
    );

export const webhookSecret = (description: string) =>
  z
    .string({ error: SECRET_RULE })
    .check(
      z.refine(isSecret, { error: SECRET_RULE }),
      z.meta({ description, minLength: 1, maxLength: LIMITS.webhookSecretBytes }),
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
      metadata: z.optional(
        jsonObject(
          METADATA_RULE,
          `Yours, at most ${LIMITS.metadataBytes} bytes of UTF-8; comes back byte for byte in status and webhook`,
        ),
      ),
      webhook_url: z.optional(webhookUrl('Receives the outcome, by https')),
      webhook_secret: z.optional(
        webhookSecret(
          `Signs the webhook, ${LIMITS.webhookSecretBytes} bytes of UTF-8 at most; never returned`,
        ),
      ),
      webhook_jobs: z.optional(
        z
          .enum(['full', 'none'], { error: 'must be "full" or "none"' })
          .check(z.describe('Whether the webhook carries the jobs; `full` unless sent')),
      ),
      model: z.optional(
        modelReference(
          'A model, or its `id@version`; without one the first whose coverage contains the polygon and which has the year',
        ),
      ),
    },
    { error: nested('must be a JSON object with jobs') },
  ),
);

/** What judges one job of a creation: {@link jobRequest}, its polygon as sent. */
export const judgedJob = z.extend(jobRequest, { polygon: objectAsSent(POLYGON_RULE) });

function isJobList(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= LIMITS.jobsPerBatch;
}

/**
 * What judges a creation around its jobs, which are judged one by one: after so many violations the
 * others are not looked at.
 */
export const judgedEnvelope = z.extend(createRequest, {
  jobs: z.custom<readonly unknown[]>(isJobList, { error: JOBS_RULE }),
  metadata: z.optional(objectAsSent(METADATA_RULE)),
});

export type CreateEnvelope = z.infer<typeof judgedEnvelope>;
export type JobRequest = z.infer<typeof judgedJob>;

/** The object's own type error; unknown members are worded where they are listed. */
export function nested(typeRule: string) {
  return (issue: { readonly code?: string }) =>
    issue.code === 'unrecognized_keys' ? undefined : typeRule;
}

/** What the OpenAPI document shows: two jobs of the example batch. */
export const createRequestExample = {
  jobs: meuse.jobs.slice(1, 3),
  metadata: { order: 'A-1042' },
  webhook_url: 'https://example.com/soil',
  webhook_secret: 'a secret of your own',
};
