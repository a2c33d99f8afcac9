import * as z from 'zod/mini';
import { webhookBody } from '../../domain/batch/batch-schema.ts';
import { RETRY_DELAYS_SECONDS } from '../../domain/delivery/schedule.ts';
import example from '../operations/examples/completion-webhook.json' with { type: 'json' };
import type { OperationObject, Parameter } from './openapi.ts';
import { named } from './published.ts';
import { referenceTo, toOpenApiSchema } from './schemas.ts';

const headerParameter = (name: string, schema: z.ZodMiniType, description: string): Parameter => ({
  name,
  in: 'header',
  description,
  schema: toOpenApiSchema(schema),
});

named('BatchCompleted', webhookBody);

export function completionWebhook(): OperationObject {
  return {
    operationId: 'batchCompleted',
    tags: ['Batches'],
    summary: 'A batch has finished',
    description: `Posted to \`webhook_url\` once the batch is \`completed\`, \`failed\` or \`partial\`. The same event can arrive more than once: deduplicate by \`batch_id\` and \`redelivery\` (absent from a first delivery). Verify the signature over the raw bytes of the body, in constant time. Redirects are not followed. After temporary failures, up to ${RETRY_DELAYS_SECONDS.length} retries follow, with delays of ${RETRY_DELAYS_SECONDS.join(', ')} s.`,
    security: [],
    parameters: [
      headerParameter(
        'X-Service-Signature',
        z.string().check(z.regex(/^[0-9a-f]{64}$/)),
        'HMAC-SHA256 of the raw body, keyed with `webhook_secret` as UTF-8, in lower-case hexadecimal. Absent without a secret.',
      ),
      headerParameter('X-Service-Event', z.literal('batch.completed'), 'The kind of event.'),
      headerParameter(
        'webhook-id',
        z.string(),
        'Standard Webhooks: an ID that is the same for all attempts of one delivery; a redelivery has a new ID.',
      ),
      headerParameter(
        'webhook-timestamp',
        z.string(),
        'Standard Webhooks: the time of this attempt, in Unix seconds.',
      ),
      headerParameter(
        'webhook-signature',
        z.string(),
        'Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. The key is the bytes that follow `whsec_` in base64 or, for any other secret, its UTF-8 bytes. Absent without a secret.',
      ),
    ],
    requestBody: {
      required: true,
      description: 'The outcome of the batch.',
      content: {
        'application/json': {
          schema: referenceTo(webhookBody),
          example,
        },
      },
    },
    responses: {
      '2XX': { description: 'Delivered.' },
      '3XX': { description: 'A permanent failure that is not retried.' },
      '4XX': { description: 'A permanent failure that is not retried, including 413 and 429.' },
      '5XX': { description: 'Retried, like timeouts (10 s) and failed connections.' },
    },
  };
}
