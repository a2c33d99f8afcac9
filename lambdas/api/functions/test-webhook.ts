import { receiver, receiverPolicy, stores } from '../../wiring.ts';
import { WEBHOOK_TEST_OPERATIONS } from '../operation-lists/webhook-test-operations.ts';
import { serveKeyed } from '../serve-keyed.ts';

/** Connects to URLs that clients choose, so its role may only update the items that count requests and tests. */
export const handler = serveKeyed(WEBHOOK_TEST_OPERATIONS, () => ({
  ...stores(),
  receiver: receiver(),
  receiverPolicy: receiverPolicy(),
}));
