import * as z from 'zod/mini';
import { type DeliveryLog, MAX_LOGGED_ATTEMPTS } from '../../domain/delivery/outbox.ts';
import { loggedAttempt } from '../../domain/delivery/outcome.ts';
import { batchPartition, deliveryKey } from './item-keys.ts';
import { readRange, type Table } from './table.ts';

export function dynamoDeliveryLog(table: Table): DeliveryLog {
  return {
    async attempts(batchId, event) {
      const first = deliveryKey(batchId, event, 1).sk;
      const last = deliveryKey(batchId, event, MAX_LOGGED_ATTEMPTS).sk;
      const items = await readRange(table, batchPartition(batchId), first, last);
      return z.array(loggedAttempt).parse(items);
    },
  };
}
