import * as z from 'zod/mini';
import { named } from '../../specification/published.ts';
import { nested, optionalField, webhookSecret, webhookUrl } from '../batch/create-request.ts';

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
