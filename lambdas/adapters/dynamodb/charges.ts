import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Charge, CreationOutcome, Refund } from '../../domain/admission/charge.ts';
import { IDEMPOTENCY_HOURS, type Idempotency } from '../../domain/admission/idempotency.ts';
import { type Amount, type Day, endOfDay, fits } from '../../domain/admission/quota.ts';
import type { Batch } from '../../domain/batch/batch.ts';
import { addSeconds, SECONDS_PER_DAY } from '../../domain/clock.ts';
import { idempotencyKey, quotaKey } from './keys.ts';
import { epochSeconds, type Table } from './table.ts';

type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** A write of the creating transaction, and what it means when its condition does not hold. */
interface ChargeWrite {
  readonly write: Write;
  readonly refusal: Exclude<CreationOutcome, 'created'>;
}

/** None of these items has the attribute `tenant`, which would list it among the tenant's batches. */
export function chargeWrites(table: Table, batch: Batch, claim: Charge): readonly ChargeWrite[] {
  const { idempotency } = claim;
  return [
    { write: takeQuota(table, batch.tenant, claim), refusal: 'over-quota' },
    ...(idempotency === null
      ? []
      : [{ write: takeKey(table, batch, idempotency), refusal: 'key-taken' as const }]),
  ];
}

const LEFT = 'jobs <= :jobs_left AND square_metres <= :area_left';

function takeQuota(table: Table, tenant: string, { day, wanted, limit }: Charge): Write {
  // A retry may want more than a whole day allows since: a day without claims does not let it in.
  const condition = fits(wanted, limit) ? `attribute_not_exists(pk) OR (${LEFT})` : LEFT;
  return {
    Update: {
      TableName: table.name,
      Key: quotaKey(tenant, day),
      UpdateExpression:
        'SET expires_at = :end ADD jobs :jobs, square_metres :area, jobs_given_back :none, square_metres_given_back :none',
      ConditionExpression: condition,
      ExpressionAttributeValues: {
        ':end': endOfKeeping(day),
        ':jobs': wanted.jobs,
        ':area': wanted.squareMetres,
        ':none': 0,
        ':jobs_left': limit.jobs - wanted.jobs,
        ':area_left': limit.squareMetres - wanted.squareMetres,
      },
    },
  };
}

function takeKey(table: Table, batch: Batch, { key, digest }: Idempotency): Write {
  return {
    Put: {
      TableName: table.name,
      Item: {
        ...idempotencyKey(batch.tenant, key),
        digest,
        batch_id: batch.batchId,
        created_at: batch.createdAt,
        expires_at: epochSeconds(addSeconds(batch.createdAt, IDEMPOTENCY_HOURS * 60 * 60)),
      },
      // TTL deletes days later: an expired key is free all the same.
      ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= :now',
      ExpressionAttributeValues: { ':now': epochSeconds(batch.createdAt) },
    },
  };
}

/** A day's item outlives the day by a week, for whoever looks into a bill. */
const KEPT_SECONDS = 7 * SECONDS_PER_DAY;

function endOfKeeping(day: Day): number {
  return epochSeconds(addSeconds(endOfDay(day), KEPT_SECONDS));
}

export function refundWrite(table: Table, { tenant, day, amount }: Refund): Write {
  return {
    Update: {
      TableName: table.name,
      Key: quotaKey(tenant, day),
      // The item is there, unless the batch ended a week after its day: it must not stay for ever then.
      UpdateExpression:
        'SET expires_at = if_not_exists(expires_at, :end) ADD jobs :jobs, square_metres :area, jobs_given_back :jobs_back, square_metres_given_back :area_back',
      ExpressionAttributeValues: { ':end': endOfKeeping(day), ...refundValues(amount) },
    },
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
