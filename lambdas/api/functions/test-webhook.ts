import { receiver, receiverPolicy, stores } from '../../wiring.ts';
import { WEBHOOK_TEST_OPERATIONS } from '../operation-lists/webhook-test-operations.ts';
import { serveKeyed } from '../serve-keyed.ts';

/** Connects to clients' URLs, so it may use only the request rates and the test allowance. */
export const handler = serveKeyed(WEBHOOK_TEST_OPERATIONS, () => ({
  ...stores(),
  receiver: receiver(),
  receiverPolicy: receiverPolicy(),
}));
