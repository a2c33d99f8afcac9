import * as z from 'zod/mini';
import type { IdempotencyKeys } from '../../domain/admission/idempotency.ts';
import { idempotencyKey } from './keys.ts';
import { readItem, type Table } from './table.ts';

const knownCreation = z.pipe(
  z.object({ digest: z.string(), batch_id: z.string(), created_at: z.string() }),
  z.transform(({ digest, batch_id, created_at }) => ({
    digest,
    batchId: batch_id,
    createdAt: created_at,
  })),
);

/** Items `TENANT#<tenant>` / `IDEMPOTENCY#<key>`, written by the transaction that creates the batch. */
export function dynamoIdempotencyKeys(table: Table): IdempotencyKeys {
  return {
    async find(tenant, key) {
      const item = await readItem(table, idempotencyKey(tenant, key));
      return item === null ? null : knownCreation.parse(item);
    },
  };
}
