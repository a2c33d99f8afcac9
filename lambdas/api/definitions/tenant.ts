import * as z from 'zod/mini';
import { time } from '../../domain/wire.ts';
import { named } from '../specification/published.ts';
import { BOTH, type OperationDefinitions } from './definition.ts';
import limits from './examples/limits.json' with { type: 'json' };
import models from './examples/models.json' with { type: 'json' };
import usage from './examples/usage.json' with { type: 'json' };
import { modelsResponse } from './models-response.ts';

const amount = z.int().check(z.positive());

/** The response of `GET /v1/limits`. */
export const limitsResponse = named(
  'Limits',
  z.strictObject({
    jobs_per_batch: amount.check(z.describe('Jobs in one batch')),
    body_bytes: amount.check(z.describe('Bytes of a request body, after decompression')),
    metadata_bytes: amount.check(z.describe('Bytes of `metadata` as UTF-8 text')),
    properties_bytes: amount.check(
      z.describe('Bytes of a job’s `properties` as JSON without white space'),
    ),
    json_depth: amount.check(
      z.describe('Levels of arrays and objects in `metadata` and `properties`'),
    ),
    name_characters: amount.check(z.describe('Characters of a job’s `name`')),
    webhook_url_characters: amount.check(z.describe('Characters of `webhook_url`')),
    webhook_secret_bytes: amount.check(z.describe('Bytes of `webhook_secret` as UTF-8')),
    vertices_per_batch: amount.check(
      z.describe(
        'Vertices of all polygons of one batch together; a body with more gets 422. Polygons written with 6 decimals of a degree reach `body_bytes` first',
      ),
    ),
    vertices_per_job: amount.check(z.describe('Vertices of one job’s polygon, over all its rings')),
    vertices_per_job_in_full_batch: amount.check(
      z.describe(
        'Vertices that each polygon may have when `jobs_per_batch` polygons are in one body, written with 6 decimals of a degree (0.1 m) and without white space',
      ),
    ),
    hectares_per_job: amount.check(
      z.describe('Charged area of one job, in hectares, for your tenant'),
    ),
    charged_width_metres: amount.check(
      z.describe(
        'A job is charged at least its perimeter × this width, if that is more than its ground area',
      ),
    ),
    charged_square_metres_per_ring: amount.check(
      z.describe(
        'A job is charged at least this area for each ring of its polygon, holes included',
      ),
    ),
    grid_crossings_per_job: amount.check(
      z.describe('Cell edges of the model’s grid that the outline of one job’s polygon may cross'),
    ),
    patch_batches_per_job: amount.check(z.describe('Patch-batches one job may be split into')),
    page_size: z
      .strictObject({ default: amount, max: amount })
      .check(z.describe('Jobs or patch-batches on one page')),
    batches_page_size: z
      .strictObject({ default: amount, max: amount })
      .check(z.describe('Batches on one page')),
    requests_per_minute: amount.check(
      z.describe(
        'Requests with a key, over all operations and keys of your tenant; more get 429 `throttled`. A large creation or estimate counts as several, as the operation’s description says',
      ),
    ),
    requests_at_once: amount.check(
      z.describe('How many of these may be sent in one burst, after a pause'),
    ),
    running_batches: amount.check(
      z.describe(
        'Batches of your tenant that run at the same time; the others are queued as `pending`',
      ),
    ),
    estimate_seconds: amount.check(
      z.describe('Seconds of CPU time after which an estimate stops planning jobs'),
    ),
    signed_url_seconds: amount.check(z.describe('Seconds for which a signed URL is valid')),
    retention_days: amount.check(z.describe('Days from creation to `results_expire_at`')),
  }),
);

export type LimitsResponse = z.infer<typeof limitsResponse>;

const amounts = (unit: z.ZodMiniType<number>, what: string) =>
  z.strictObject({
    limit: unit.check(z.describe(`${what} per day`)),
    used: unit.check(z.describe('Charged today, less refunds')),
    remaining: unit.check(z.describe('Still available today')),
    given_back: unit.check(
      z.describe(
        'Refunded of today’s charge, for jobs that failed because of the service or were cancelled before they were planned',
      ),
    ),
  });

/** The response of `GET /v1/usage`. */
export const usageResponse = named(
  'Usage',
  z.strictObject({
    day: z.iso.date().check(z.describe('Today, in UTC')),
    resets_at: time.check(z.describe('When the quota resets: midnight UTC')),
    jobs: amounts(z.int().check(z.nonnegative()), 'Jobs'),
    hectares: amounts(z.number().check(z.nonnegative()), 'Charged hectares'),
  }),
);

export type UsageResponse = z.infer<typeof usageResponse>;

/** QGIS registers this media type for `.qml` files (`debian/qgis.xml` of its sources). */
export const QML = 'application/x-qgis-layer-settings';

/** Operations about the tenant and the deployment. */
export const TENANT_OPERATIONS = {
  usage: {
    operationId: 'getUsage',
    method: 'GET',
    path: '/v1/usage',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Service',
    summary: 'Usage',
    description:
      'How much of today’s quota your tenant has used and how much is left. A batch is charged its jobs and their charged area when it is created; a job that is certain to fail is charged no area. Jobs that fail because of the service, or are cancelled before they were planned, are refunded when their batch ends, to the day that was charged.',
    parameters: ['ifNoneMatch'],
    response: {
      status: 200,
      description: 'Today, in UTC',
      headers: ['ETag', 'Cache-Control'],
      content: { schema: usageResponse, example: usage },
    },
    problems: [],
  },
  limits: {
    operationId: 'getLimits',
    method: 'GET',
    path: '/v1/limits',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Service',
    summary: 'Limits',
    description: 'The limits of a request, and how long results are kept.',
    parameters: ['ifNoneMatch'],
    response: {
      status: 200,
      description: 'The limits in force',
      headers: ['ETag', 'Cache-Control'],
      content: { schema: limitsResponse, example: limits },
    },
    problems: [],
  },
  models: {
    operationId: 'getModels',
    method: 'GET',
    path: '/v1/models',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Service',
    summary: 'Models',
    description:
      'The models of this deployment: what they predict, where they are valid, their accuracy and their licenses.',
    parameters: ['ifNoneMatch'],
    response: {
      status: 200,
      description: 'The models, in the order in which they are tried',
      headers: ['ETag', 'Cache-Control'],
      content: { schema: modelsResponse, example: models },
    },
    problems: [],
  },
  'model-style': {
    operationId: 'getModelStyle',
    method: 'GET',
    path: '/v1/models/{model}/style.qml',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Service',
    summary: 'QGIS style of a model',
    description:
      'A QGIS layer style (`.qml`) that shows one band of the model’s results in pseudo-colour, on the band’s `display_range`. QGIS itself shows a raster with several bands as a colour composite.',
    parameters: ['model', 'band', 'ifNoneMatch'],
    response: {
      status: 200,
      description: 'The style',
      headers: ['ETag', 'Cache-Control', 'Content-Disposition'],
      content: { mediaType: QML },
    },
    problems: ['model-not-found'],
  },
} as const satisfies OperationDefinitions;
