import { type AttributeValue, ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import {
  MAX_TICKETS_MS,
  type RequestPaces,
  TICKET_EARLY_MS,
  TICKET_VALID_MS,
} from '../../domain/admission/request-rate.ts';
import { type Key, requestPaceKey, requestTicketKey } from './item-keys.ts';
import type { Table } from './table.ts';

/** Long after the stored times have passed; TTL then deletes the item. */
const KEPT_SECONDS = 3_600;

interface Step
  extends Required<Pick<UpdateCommandInput, 'UpdateExpression' | 'ConditionExpression'>> {
  readonly values: Readonly<Record<string, number>>;
}

/**
 * Items `REQUESTS#<tenant>` / `REQUESTS`: when the next request is due, and the next ticket. A request
 * costs one write if the tenant is within its even rate, otherwise two, because DynamoDB expressions have
 * no maximum. A refused one costs up to four more: its ticket is an item, `RETRY#<fingerprint>`.
 */
export function dynamoRequestPaces(table: Table): RequestPaces {
  return {
    async admit(tenant, { intervalMs, aheadMs }, now, weight) {
      const key = requestPaceKey(tenant);
      const put = weight * intervalMs;
      const idle = await update(table, key, now, {
        UpdateExpression: 'SET due = :next, expires_at = :end',
        ConditionExpression: 'attribute_not_exists(due) OR due <= :now',
        values: { ':next': now + put, ':now': now },
      });
      if (idle.changed) return { kind: 'admitted' };
      if (dueOf(idle.before) > now + aheadMs) return { kind: 'refused', due: dueOf(idle.before) };
      const ahead = await update(table, key, now, {
        UpdateExpression: 'SET due = due + :put, expires_at = :end',
        ConditionExpression: 'due <= :latest',
        values: { ':put': put, ':latest': now + aheadMs },
      });
      return ahead.changed ? { kind: 'admitted' } : { kind: 'refused', due: dueOf(ahead.before) };
    },

    async redeem({ tenant, fingerprint, weight }, { intervalMs }, now) {
      const used = await update(table, requestTicketKey(tenant, fingerprint), now, {
        UpdateExpression: 'SET weight_left = weight_left - :weight, expires_at = :end',
        ConditionExpression: 'ticket_from BETWEEN :oldest AND :latest AND weight_left >= :weight',
        values: {
          ':weight': weight,
          ':oldest': now - TICKET_VALID_MS,
          ':latest': now + TICKET_EARLY_MS,
        },
      });
      if (used.changed) {
        await update(table, requestPaceKey(tenant), now, {
          UpdateExpression: 'SET due = due + :put, expires_at = :end',
          ConditionExpression: 'due > :now',
          values: { ':put': weight * intervalMs, ':now': now },
        });
        return { kind: 'admitted' };
      }
      const { ticket_from: from, weight_left: left } = ticket.parse(used.before);
      const isEarly = from > now + TICKET_EARLY_MS && left >= weight;
      return isEarly ? { kind: 'early', from } : { kind: 'none' };
    },

    async giveTicket({ tenant, fingerprint, weight }, { intervalMs }, now, free) {
      const put = weight * intervalMs;
      const from = await takeMoment(table, tenant, now, free, put);
      if (from > now + MAX_TICKETS_MS) return from;
      await update(table, requestTicketKey(tenant, fingerprint), now, {
        UpdateExpression: 'SET ticket_from = :from, weight_left = :weight, expires_at = :end',
        ConditionExpression: 'attribute_not_exists(ticket_from) OR ticket_from <= :from',
        values: { ':from': from, ':weight': weight },
      });
      return from;
    },
  };
}

/** The first moment at or after `free` that no ticket has; the next ticket's is `put` later. */
async function takeMoment(
  table: Table,
  tenant: string,
  now: number,
  free: number,
  put: number,
): Promise<number> {
  const first = await update(table, requestPaceKey(tenant), now, {
    UpdateExpression: 'SET next_ticket = :next, expires_at = :end',
    ConditionExpression: 'attribute_not_exists(next_ticket) OR next_ticket <= :free',
    values: { ':next': free + put, ':free': free },
  });
  if (first.changed) return free;
  const next = await update(table, requestPaceKey(tenant), now, {
    UpdateExpression: 'SET next_ticket = next_ticket + :put, expires_at = :end',
    ConditionExpression: 'next_ticket <= :furthest',
    values: { ':put': put, ':furthest': now + MAX_TICKETS_MS },
  });
  return pace.parse(next.before).next_ticket;
}

const moment = z._default(z.number(), 0);
const pace = z.object({ due: moment, next_ticket: moment });
const ticket = z.object({ ticket_from: moment, weight_left: moment });
const dueOf = (item: unknown): number => pace.parse(item).due;

/** The SDK does not convert the item that comes with an error. */
function numbersIn(item: Readonly<Record<string, AttributeValue>>): Updated['before'] {
  return Object.fromEntries(
    Object.entries(item).flatMap(([name, { N }]) => (N === undefined ? [] : [[name, Number(N)]])),
  );
}

interface Updated {
  readonly changed: boolean;
  /** The item before the update, or the one that its condition refused. */
  readonly before: Readonly<Record<string, unknown>>;
}

async function update(
  table: Table,
  Key: Key,
  now: number,
  { values, ...expressions }: Step,
): Promise<Updated> {
  try {
    const { Attributes = {} } = await table.client.send(
      new UpdateCommand({
        TableName: table.name,
        Key,
        ...expressions,
        ExpressionAttributeValues: { ...values, ':end': Math.ceil(now / 1_000) + KEPT_SECONDS },
        ReturnValues: 'ALL_OLD',
        ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
      }),
    );
    return { changed: true, before: Attributes };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { changed: false, before: numbersIn(error.Item ?? {}) };
  }
}
