import { receiver, receiverPolicy, stores } from '../../ports.ts';
import { builtWith } from '../definition.ts';
import { serveKeyed } from '../serve-keyed.ts';
import { TEST_WEBHOOK } from '../served-by/test-webhook.ts';

/** Connects to a client's URL, and may read nothing else. */
export const handler = serveKeyed('test-webhook', () =>
  builtWith(TEST_WEBHOOK, {
    ...stores(),
    receiver: receiver(),
    receiverPolicy: receiverPolicy(),
  }),
);
