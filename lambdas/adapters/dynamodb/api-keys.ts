import * as z from 'zod/mini';
import { addSeconds, SECONDS_PER_DAY, type Timestamp } from '../../domain/clock.ts';
import type { ApiKeyRecord, ApiKeys } from '../../domain/tenant/api-key.ts';
import { afterPrefix, apiKeyKey, PREFIX } from './item-keys.ts';
import { scanKind } from './operator-scan.ts';
import { epochSeconds, type Item, readItem, type Table } from './table.ts';
import { putOnCondition, updateOnCondition } from './transition.ts';

/**
 * The attribute is named `key_tenant`, because an item with `tenant` and `created_at` would appear in the index of the
 * tenant's batches.
 */
const keyItem = z.pipe(
  z.object({
    pk: afterPrefix(PREFIX.apiKey),
    id: z.string(),
    key_tenant: z.string(),
    name: z.optional(z.string()),
    created_at: z.string(),
    ends_at: z.optional(z.string()),
    revoked_at: z.optional(z.string()),
  }),
  z.transform(
    (item): ApiKeyRecord => ({
      digest: item.pk,
      id: item.id,
      tenant: item.key_tenant,
      name: item.name ?? null,
      createdAt: item.created_at,
      expiresAt: item.ends_at ?? null,
      revokedAt: item.revoked_at ?? null,
    }),
  ),
);

export function dynamoApiKeys(table: Table): ApiKeys {
  return {
    async find(digest) {
      const item = await readItem(table, apiKeyKey(digest));
      return item === null ? null : keyItem.parse(item);
    },

    async create(record) {
      const outcome = await putOnCondition(table, {
        Item: toItem(record),
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      if (outcome === 'unchanged') throw new Error('the API key already exists');
    },

    async list(tenant) {
      const records = (await scanKind(table, PREFIX.apiKey, 'KEY')).map((item) =>
        keyItem.parse(item),
      );
      return records
        .filter((record) => tenant === null || record.tenant === tenant)
        .sort((a, b) => a.createdAt.localeCompare(b.createdAt));
    },

    async revoke(digest, at) {
      await updateOnCondition(table, {
        Key: apiKeyKey(digest),
        UpdateExpression: 'SET revoked_at = :at',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(revoked_at)',
        ExpressionAttributeValues: { ':at': at },
      });
    },

    async endBy(digest, end) {
      await updateOnCondition(table, {
        Key: apiKeyKey(digest),
        UpdateExpression: 'SET ends_at = :end, expires_at = :ttl',
        ConditionExpression:
          'attribute_exists(pk) AND (attribute_not_exists(ends_at) OR ends_at > :end)',
        ExpressionAttributeValues: { ':end': end, ':ttl': deletionTime(end) },
      });
    },
  };
}

function toItem(record: ApiKeyRecord): Item {
  return {
    ...apiKeyKey(record.digest),
    id: record.id,
    key_tenant: record.tenant,
    created_at: record.createdAt,
    ...(record.name === null ? {} : { name: record.name }),
    ...(record.revokedAt === null ? {} : { revoked_at: record.revokedAt }),
    ...(record.expiresAt === null
      ? {}
      : { ends_at: record.expiresAt, expires_at: deletionTime(record.expiresAt) }),
  };
}

/** Longer than the 35 days that DynamoDB's point-in-time recovery reaches back. */
const DAYS_KEPT = 36;

/**
 * Returns the time from which TTL may delete a key that ends at this time. `restore` copies from a backup the items
 * that the table lacks, so the ended key must outlast every backup in which it is still valid.
 */
function deletionTime(end: Timestamp): number {
  return epochSeconds(addSeconds(end, DAYS_KEPT * SECONDS_PER_DAY));
}
