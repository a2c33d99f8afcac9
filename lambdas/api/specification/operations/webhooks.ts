import {
  MAX_REDELIVERIES,
  REDELIVERY_INTERVAL_SECONDS,
} from '../../../domain/delivery/redelivery.ts';
import { TESTS_PER_MINUTE } from '../../../domain/delivery/test-delivery.ts';
import { EXAMPLES } from '../examples.ts';
import type { OperationSpecification } from '../operation.ts';

/** Deliveries of the completion webhook. */
export const WEBHOOKS: readonly OperationSpecification[] = [
  {
    operationId: 'getDeliveries',
    method: 'get',
    path: '/v1/batch/{batch_id}/deliveries',
    tag: 'Batches',
    summary: 'Delivery log',
    description:
      'Every attempt to deliver the batch’s webhook that has ended, and what comes next. Empty while the batch is unfinished, and without a `webhook_url`.',
    parameters: ['batchId', 'ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The log as it is now',
      headers: ['Retry-After', 'ETag', 'Cache-Control'],
      links: ['status', 'redelivery'],
      content: { schema: 'Deliveries', example: EXAMPLES.deliveries },
    },
    problems: ['batch-not-found'],
  },
  {
    operationId: 'redeliver',
    method: 'post',
    path: '/v1/batch/{batch_id}/deliveries',
    tag: 'Batches',
    summary: 'Deliver a webhook again',
    description: `Sends the outcome of a finished batch once more, whatever became of it before: a new body with fresh signed URLs and the member \`redelivery\`, under a \`webhook-id\` of its own, on a new schedule of retries. Once in ${REDELIVERY_INTERVAL_SECONDS} s, at most ${MAX_REDELIVERIES} times a batch. The request has no body.`,
    parameters: ['batchId'],
    answer: {
      status: 202,
      description: 'The first attempt is due now',
      headers: ['Retry-After', 'Cache-Control'],
      links: ['status', 'deliveries'],
      content: { schema: 'Deliveries', example: EXAMPLES.redelivered },
    },
    problems: ['batch-not-found', 'not-redeliverable'],
  },
  {
    operationId: 'testWebhook',
    method: 'post',
    path: '/v1/webhooks/test',
    tag: 'Service',
    summary: 'Test a webhook',
    description: `Sends a signed sample of \`batch.completed\`, marked with \`test: true\`, to your receiver as a real delivery would go, once, and tells what came of it. The secret is not kept. At most ${TESTS_PER_MINUTE} a minute.`,
    parameters: ['webhookSecret'],
    body: { schema: 'TestWebhook', example: EXAMPLES.testWebhook },
    answer: {
      status: 200,
      description: 'What the receiver did',
      headers: ['Cache-Control'],
      content: { schema: 'WebhookTested', example: EXAMPLES.webhookTested },
    },
    problems: ['not-json', 'not-utf-8', 'body-too-large', 'media-type', 'validation'],
  },
];
