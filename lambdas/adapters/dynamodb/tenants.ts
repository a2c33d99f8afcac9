import * as z from 'zod/mini';
import type {
  LimitChanges,
  TenantLimits,
  TenantRecord,
  TenantRecords,
} from '../../domain/tenant/tenant.ts';
import { afterPrefix, PREFIX, tenantKey } from './item-keys.ts';
import { scanKind } from './operator-scan.ts';
import { readItem, type Table } from './table.ts';
import { putOnCondition, updateOnCondition } from './transition.ts';

/** If an attribute is absent, the default of its limit applies. */
const LIMIT_ATTRIBUTES = {
  jobsPerDay: 'jobs_per_day',
  hectaresPerDay: 'hectares_per_day',
  hectaresPerJob: 'hectares_per_job',
  requestsPerMinute: 'requests_per_minute',
  runningBatches: 'running_batches',
} as const satisfies Record<keyof TenantLimits, string>;

const limitNames = Object.keys(LIMIT_ATTRIBUTES) as readonly (keyof TenantLimits)[];

const limit = z.int().check(z.nonnegative());

/** The item has no attribute `tenant`: with `created_at`, it would be listed among the tenant's batches. */
const tenantItem = z.pipe(
  z.looseObject({
    pk: afterPrefix(PREFIX.tenant),
    created_at: z.string(),
    disabled_at: z.optional(z.string()),
  }),
  z.transform(
    (item): TenantRecord => ({
      tenant: item.pk,
      createdAt: item.created_at,
      disabledAt: item.disabled_at ?? null,
      limits: Object.fromEntries(
        limitNames.flatMap((name) => {
          const value = item[LIMIT_ATTRIBUTES[name]];
          return value === undefined ? [] : [[name, limit.parse(value)]];
        }),
      ),
    }),
  ),
);

/** Stores items `TENANT#<tenant>` / `TENANT`, only for tenants that an operator has configured. */
export function dynamoTenantRecords(table: Table): TenantRecords {
  return {
    async find(tenant) {
      const item = await readItem(table, tenantKey(tenant));
      return item === null ? null : tenantItem.parse(item);
    },

    async list() {
      const records = (await scanKind(table, PREFIX.tenant, 'TENANT')).map((item) =>
        tenantItem.parse(item),
      );
      return records.sort((a, b) => a.tenant.localeCompare(b.tenant));
    },

    async create({ tenant, createdAt, disabledAt, limits }) {
      const outcome = await putOnCondition(table, {
        Item: {
          ...tenantKey(tenant),
          created_at: createdAt,
          ...(disabledAt === null ? {} : { disabled_at: disabledAt }),
          ...Object.fromEntries(
            limitNames.flatMap((name) =>
              limits[name] === undefined ? [] : [[LIMIT_ATTRIBUTES[name], limits[name]]],
            ),
          ),
        },
        ConditionExpression: 'attribute_not_exists(pk)',
      });
      return outcome === 'changed' ? 'created' : 'exists';
    },

    async setLimits(tenant, changes) {
      const outcome = await updateOnCondition(table, {
        Key: tenantKey(tenant),
        ConditionExpression: 'attribute_exists(pk)',
        ...limitUpdate(changes),
      });
      return outcome === 'changed' ? 'set' : 'unknown';
    },

    async disable(tenant, at) {
      await updateOnCondition(table, {
        Key: tenantKey(tenant),
        UpdateExpression: 'SET disabled_at = :at, created_at = if_not_exists(created_at, :at)',
        ConditionExpression: 'attribute_not_exists(disabled_at)',
        ExpressionAttributeValues: { ':at': at },
      });
    },

    async enable(tenant) {
      await updateOnCondition(table, {
        Key: tenantKey(tenant),
        UpdateExpression: 'REMOVE disabled_at',
        ConditionExpression: 'attribute_exists(disabled_at)',
      });
    },
  };
}

/** `SET` for limits with a value, `REMOVE` for limits that return to the default. */
function limitUpdate(changes: LimitChanges) {
  const set = limitNames.filter((name) => typeof changes[name] === 'number');
  const removed = limitNames.filter((name) => changes[name] === null);
  const assignments = set.map((name) => `${LIMIT_ATTRIBUTES[name]} = :${name}`);
  return {
    UpdateExpression: [
      ...(set.length > 0 ? [`SET ${assignments.join(', ')}`] : []),
      ...(removed.length > 0
        ? [`REMOVE ${removed.map((name) => LIMIT_ATTRIBUTES[name]).join(', ')}`]
        : []),
    ].join(' '),
    // DynamoDB rejects an empty map of attribute values.
    ...(set.length > 0
      ? {
          ExpressionAttributeValues: Object.fromEntries(
            set.map((name) => [`:${name}`, changes[name]]),
          ),
        }
      : {}),
  };
}
