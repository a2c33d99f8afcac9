import * as z from 'zod/mini';
import type { HeldSlot, Slots } from '../../domain/dispatch/slots.ts';
import {
  afterPrefix,
  batchKey,
  DISPATCH_PARTITION,
  type Key,
  PREFIX,
  slotKey,
  tenantSlotKey,
} from './item-keys.ts';
import { type Item, readRange, type Table } from './table.ts';
import { transact, transactWithFailures } from './transition.ts';

/** Freeing a slot keeps both of its items, because no function may delete items of a tenant. */
const heldItem = z.pipe(
  z.object({
    sk: afterPrefix(PREFIX.slot),
    tenant_slot: z.int(),
    of_tenant: z.string(),
    batch_id: z.string(),
  }),
  z.transform(
    (item): HeldSlot => ({
      ofAll: Number(item.sk),
      ofTenant: item.tenant_slot,
      tenant: item.of_tenant,
      batchId: item.batch_id,
    }),
  ),
);

/**
 * Stores items `DISPATCH` / `SLOT#<n>` and `TENANT#<tenant>` / `SLOT#<n>`. A batch holds a slot if both items have
 * its ID.
 */
export function dynamoSlots(table: Table): Slots {
  return {
    async readHeld() {
      const items = await readRange(table, DISPATCH_PARTITION, PREFIX.slot, `${PREFIX.slot}~`);
      return items
        .filter((item) => item['batch_id'] !== undefined)
        .map((item) => heldItem.parse(item));
    },

    async claim({ batch_id: batchId, tenant }, { ofAll, ofTenant }, at) {
      const outcome = await transactWithFailures(table, [
        {
          Update: {
            TableName: table.name,
            Key: batchKey(batchId),
            UpdateExpression:
              'SET slot = :slot, tenant_slot = :tenant_slot, slot_claimed_at = :at, updated_at = :at',
            ConditionExpression:
              '#status = :pending AND attribute_not_exists(slot)' +
              ' AND attribute_not_exists(cancel_requested_at)',
            ExpressionAttributeNames: { '#status': 'status' },
            ExpressionAttributeValues: {
              ':slot': ofAll,
              ':tenant_slot': ofTenant,
              ':at': at,
              ':pending': 'pending',
            },
          },
        },
        claimUpdate(table, slotKey(ofAll), 'of_tenant = :tenant, tenant_slot = :tenant_slot', {
          ':batch': batchId,
          ':tenant': tenant,
          ':tenant_slot': ofTenant,
        }),
        claimUpdate(table, tenantSlotKey(tenant, ofTenant), 'slot = :slot', {
          ':batch': batchId,
          ':slot': ofAll,
        }),
      ]);
      if (outcome.kind === 'changed') return 'claimed';
      return outcome.failed.includes(0) ? 'not-waiting' : 'slot-taken';
    },

    free({ batchId, ofAll, ofTenant, tenant }) {
      return transact(table, [
        releaseUpdate(table, slotKey(ofAll), batchId),
        releaseUpdate(table, tenantSlotKey(tenant, ofTenant), batchId),
      ]);
    },
  };
}

const slotAttributes = z.object({
  batch_id: z.string(),
  tenant: z.string(),
  slot: z.optional(z.int()),
  tenant_slot: z.optional(z.int()),
});

/** Builds the condition that the batch still has the same slot, or still none, as when it was read. */
export function slotUnchanged(batch: Item): {
  readonly condition: string;
  readonly values: Readonly<Record<string, number>>;
} {
  const { slot } = slotAttributes.parse(batch);
  return slot === undefined
    ? { condition: 'attribute_not_exists(slot)', values: {} }
    : { condition: 'slot = :slot', values: { ':slot': slot } };
}

export function slotReleases(table: Table, batch: Item) {
  const { batch_id, tenant, slot, tenant_slot } = slotAttributes.parse(batch);
  if (slot === undefined || tenant_slot === undefined) return [];
  return [
    releaseUpdate(table, slotKey(slot), batch_id),
    releaseUpdate(table, tenantSlotKey(tenant, tenant_slot), batch_id),
  ];
}

function claimUpdate(
  table: Table,
  key: Key,
  alsoSets: string,
  values: Readonly<Record<string, unknown>>,
) {
  return {
    Update: {
      TableName: table.name,
      Key: key,
      UpdateExpression: `SET batch_id = :batch, ${alsoSets}`,
      ConditionExpression: 'attribute_not_exists(batch_id)',
      ExpressionAttributeValues: { ...values },
    },
  };
}

function releaseUpdate(table: Table, key: Key, batchId: string) {
  return {
    Update: {
      TableName: table.name,
      Key: key,
      UpdateExpression: 'REMOVE batch_id',
      ConditionExpression: 'batch_id = :batch',
      ExpressionAttributeValues: { ':batch': batchId },
    },
  };
}
