import { receiver, receiverPolicy, stores } from '../../wiring.ts';
import { WEBHOOK_TEST_ENDPOINTS } from '../endpoint-lists/webhook-test-endpoints.ts';
import { serveKeyed } from '../serve-keyed.ts';

/** Connects to clients' URLs, so it may use only the request rates and the test allowance. */
export const handler = serveKeyed(WEBHOOK_TEST_ENDPOINTS, () => ({
  ...stores(),
  receiver: receiver(),
  receiverPolicy: receiverPolicy(),
}));
