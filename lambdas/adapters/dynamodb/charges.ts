import * as z from 'zod/mini';
import {
  IDEMPOTENCY_HOURS,
  type Idempotency,
  type IdempotencyKeys,
} from '../../domain/admission/idempotency.ts';
import {
  type Amount,
  addAmounts,
  type Charge,
  type CreationOutcome,
  type Day,
  endOfDay,
  fits,
  MAX_BOUNDED_REFUND_PER_DAY,
  NOTHING,
  type Quotas,
  type Refund,
} from '../../domain/admission/quota.ts';
import type { Batch } from '../../domain/batch/batch.ts';
import { addSeconds, SECONDS_PER_DAY } from '../../domain/clock.ts';
import { BATCH_DAYS } from '../../domain/limits.ts';
import { idempotencyKey, quotaKey } from './item-keys.ts';
import { epochSeconds, readItem, type Table } from './table.ts';
import type { Write } from './transition.ts';

interface ChargeWrite {
  readonly write: Write;
  readonly refusal: Exclude<CreationOutcome, 'created'>;
}

/**
 * The items have no attribute `tenant`: an item with `tenant` and `created_at` would be listed among the tenant's
 * batches.
 */
export function chargeWrites(table: Table, batch: Batch, charge: Charge): readonly ChargeWrite[] {
  const { idempotency } = charge;
  return [
    { write: chargeQuota(table, batch.tenant, charge), refusal: 'over-quota' },
    ...(idempotency === null
      ? []
      : [{ write: storeIdempotencyKey(table, batch, idempotency), refusal: 'key-taken' as const }]),
  ];
}

const WITHIN_LIMIT = 'jobs <= :jobs_left AND square_metres <= :area_left';

function chargeQuota(table: Table, tenant: string, { day, wanted, limit }: Charge): Write {
  // A retry may exceed the whole daily limit, if the limit was lowered after the original batch. Then even an unused
  // quota does not admit it.
  const condition = fits(wanted, limit)
    ? `attribute_not_exists(pk) OR (${WITHIN_LIMIT})`
    : WITHIN_LIMIT;
  return {
    Update: {
      TableName: table.name,
      Key: quotaKey(tenant, day),
      UpdateExpression:
        'SET expires_at = :end ADD jobs :jobs, square_metres :area, jobs_given_back :none, square_metres_given_back :none',
      ConditionExpression: condition,
      ExpressionAttributeValues: {
        ':end': expiryOfDay(day),
        ':jobs': wanted.jobs,
        ':area': wanted.squareMetres,
        ':none': 0,
        ':jobs_left': limit.jobs - wanted.jobs,
        ':area_left': limit.squareMetres - wanted.squareMetres,
      },
    },
  };
}

function storeIdempotencyKey(table: Table, batch: Batch, { key, digest }: Idempotency): Write {
  return {
    Put: {
      TableName: table.name,
      Item: {
        ...idempotencyKey(batch.tenant, key),
        digest,
        batch_id: batch.batch_id,
        created_at: batch.created_at,
        expires_at: epochSeconds(addSeconds(batch.created_at, IDEMPOTENCY_HOURS * 60 * 60)),
      },
      // TTL may delete items days late, so an expired key counts as free.
      ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
      ExpressionAttributeValues: { ':now': epochSeconds(batch.created_at) },
    },
  };
}

/** A day's quota item outlasts the day's batches, because it receives their refunds. */
const KEPT_SECONDS = (BATCH_DAYS + 1) * SECONDS_PER_DAY;

function expiryOfDay(day: Day): number {
  return epochSeconds(addSeconds(endOfDay(day), KEPT_SECONDS));
}

/** @param crediting whether to refund the bounded part too, provided that it fits the daily bound */
export function refundWrites(
  table: Table,
  { tenant, day, amount, bounded }: Refund,
  crediting: boolean,
): readonly Write[] {
  const conditional = crediting && bounded.jobs > 0;
  const refunded = conditional ? addAmounts(amount, bounded) : amount;
  if (refunded.jobs === 0) return [];
  return [
    {
      Update: {
        TableName: table.name,
        Key: quotaKey(tenant, day),
        // The item usually exists. If the batch ended after the item expired, this write creates a new
        // item, which must expire too.
        UpdateExpression:
          'SET expires_at = if_not_exists(expires_at, :end) ADD jobs :jobs, square_metres :area, jobs_given_back :jobs_back, square_metres_given_back :area_back',
        ...(conditional
          ? { ConditionExpression: `attribute_not_exists(pk) OR (${WITHIN_BOUND})` }
          : {}),
        ExpressionAttributeValues: {
          ':end': expiryOfDay(day),
          ...refundValues(refunded),
          ...(conditional ? boundValues(bounded) : {}),
        },
      },
    },
  ];
}

const WITHIN_BOUND = 'jobs_given_back <= :jobs_room AND square_metres_given_back <= :area_room';

function boundValues({ jobs, squareMetres }: Amount) {
  return {
    ':jobs_room': MAX_BOUNDED_REFUND_PER_DAY.jobs - jobs,
    ':area_room': MAX_BOUNDED_REFUND_PER_DAY.squareMetres - squareMetres,
  };
}

function refundValues({ jobs, squareMetres }: Amount) {
  return {
    ':jobs': -jobs,
    ':area': -squareMetres,
    ':jobs_back': jobs,
    ':area_back': squareMetres,
  };
}

const knownCreation = z.pipe(
  z.object({ digest: z.string(), batch_id: z.string(), created_at: z.string() }),
  z.transform(({ digest, batch_id, created_at }) => ({
    digest,
    batchId: batch_id,
    createdAt: created_at,
  })),
);

/** Reads items `TENANT#<tenant>` / `IDEMPOTENCY#<key>`, which the transactions that create batches write. */
export function dynamoIdempotencyKeys(table: Table): IdempotencyKeys {
  return {
    async find(tenant, key) {
      const item = await readItem(table, idempotencyKey(tenant, key));
      return item === null ? null : knownCreation.parse(item);
    },
  };
}

const quotaItem = z.object({
  jobs: z.int(),
  square_metres: z.int(),
  jobs_given_back: z.int(),
  square_metres_given_back: z.int(),
});

/** Reads items `TENANT#<tenant>` / `QUOTA#<day>`, which the transactions that create and finish batches write. */
export function dynamoQuotas(table: Table): Quotas {
  return {
    async use(tenant, day) {
      const raw = await readItem(table, quotaKey(tenant, day));
      if (raw === null) return { used: NOTHING, refunded: NOTHING };
      const item = quotaItem.parse(raw);
      return {
        used: { jobs: item.jobs, squareMetres: item.square_metres },
        refunded: {
          jobs: item.jobs_given_back,
          squareMetres: item.square_metres_given_back,
        },
      };
    },
  };
}
