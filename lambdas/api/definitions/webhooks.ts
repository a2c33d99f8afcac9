import * as z from 'zod/mini';
import {
  deliveriesSchema,
  deliveryAttempt,
  webhookTestSchema,
} from '../../domain/delivery/delivery-schema.ts';
import { MAX_REDELIVERIES, REDELIVERY_INTERVAL_SECONDS } from '../../domain/delivery/redelivery.ts';
import { TESTS_PER_MINUTE } from '../../domain/delivery/test-delivery.ts';
import { named } from '../specification/published.ts';
import { nested, optionalField, webhookSecret, webhookUrl } from './batch-requests.ts';
import { BOTH, type OperationDefinitions } from './definition.ts';
import deliveries from './examples/deliveries.json' with { type: 'json' };
import redelivered from './examples/redeliver.json' with { type: 'json' };
import tested from './examples/test-webhook.json' with { type: 'json' };

named('Deliveries', deliveriesSchema);
named('DeliveryAttempt', deliveryAttempt);
named('WebhookTested', webhookTestSchema);

export const webhookTestRequest = named(
  'TestWebhook',
  z.strictObject(
    {
      webhook_url: webhookUrl.check(z.describe('Receives the sample, over https')),
      webhook_secret: optionalField(webhookSecret, 'Signs the sample; neither stored nor returned'),
    },
    { error: nested('must be a JSON object with webhook_url') },
  ),
);

const REQUEST_EXAMPLE = {
  webhook_url: 'https://example.com/soil',
  webhook_secret: 'your webhook secret',
};

export const WEBHOOK_OPERATIONS = {
  'batch-deliveries': {
    operationId: 'getDeliveries',
    method: 'GET',
    path: '/v1/batch/{batch_id}/deliveries',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Delivery log',
    description:
      'Every finished attempt to deliver the batch’s webhook, and when the next one is due. Empty while the batch is unfinished, and without a `webhook_url`.',
    parameters: ['batchId', 'ifNoneMatch'],
    response: {
      status: 200,
      description: 'The current log',
      headers: ['Retry-After', 'ETag', 'Cache-Control'],
      links: ['status', 'redelivery'],
      content: { schema: deliveriesSchema, example: deliveries },
    },
    problems: ['batch-not-found'],
  },
  redeliver: {
    operationId: 'redeliver',
    method: 'POST',
    path: '/v1/batch/{batch_id}/deliveries',
    handler: 'batches',
    auth: 'key',
    deployments: BOTH,
    tag: 'Batches',
    summary: 'Deliver a webhook again',
    description: `Sends the webhook of a finished batch again, whether or not earlier attempts succeeded: a new body with new signed URLs and the field \`redelivery\`, a new \`webhook-id\` and a new schedule of retries. Allowed once every ${REDELIVERY_INTERVAL_SECONDS} s and at most ${MAX_REDELIVERIES} times per batch. The request has no body.`,
    parameters: ['batchId'],
    response: {
      status: 202,
      description: 'The first attempt is due now',
      headers: ['Retry-After', 'Cache-Control'],
      links: ['status', 'deliveries'],
      content: { schema: deliveriesSchema, example: redelivered },
    },
    problems: ['batch-not-found', 'not-redeliverable'],
  },
  'test-webhook': {
    operationId: 'testWebhook',
    method: 'POST',
    path: '/v1/webhooks/test',
    handler: 'test-webhook',
    auth: 'key',
    deployments: BOTH,
    tag: 'Service',
    summary: 'Test a webhook',
    description: `Sends a signed sample of \`batch.completed\`, marked with \`test: true\`, to your receiver as a delivery does, once, and returns the outcome. The secret is not stored. At most ${TESTS_PER_MINUTE} tests per minute.`,
    parameters: ['webhookSecret'],
    body: { schema: webhookTestRequest, example: REQUEST_EXAMPLE },
    response: {
      status: 200,
      description: 'The receiver’s response',
      headers: ['Cache-Control'],
      content: { schema: webhookTestSchema, example: tested },
    },
    problems: ['not-json', 'not-utf-8', 'body-too-large', 'media-type', 'validation'],
  },
} as const satisfies OperationDefinitions;
