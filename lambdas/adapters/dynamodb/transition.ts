import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  PutCommand,
  type PutCommandInput,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
  type UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import { TransientFailure } from '../../domain/step-failure.ts';
import type { Transition } from '../../domain/transition.ts';
import type { Item, Table } from './table.ts';

/** These types require a condition, because every state change is a conditional write. */
type Put = Omit<PutCommandInput, 'TableName'> & { readonly ConditionExpression: string };
type Update = Omit<UpdateCommandInput, 'TableName'> & { readonly ConditionExpression: string };
export type Write = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

export function putOnCondition(table: Table, put: Put): Promise<Transition> {
  return transition(() =>
    table.client.send(new PutCommand({ TableName: table.name, ...put })).then(() => undefined),
  );
}

export function updateOnCondition(table: Table, update: Update): Promise<Transition> {
  return transition(() =>
    table.client
      .send(new UpdateCommand({ TableName: table.name, ...update }))
      .then(() => undefined),
  );
}

/**
 * Builds an update that sets these attributes. The update names each of them `#<attribute>`, and its condition may use
 * these names.
 * @param ofCondition the values that the condition uses
 */
export function setAttributes(attributes: Item, ofCondition: Item) {
  const names = Object.keys(attributes);
  return {
    UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
    ExpressionAttributeValues: {
      ...Object.fromEntries(names.map((name) => [`:${name}`, attributes[name]])),
      ...ofCondition,
    },
  };
}

/** Performs all writes or none; returns `unchanged` if any condition fails. */
export function transact(table: Table, writes: Write[]): Promise<Transition> {
  return transition(createTransaction(table, writes));
}

/**
 * Returns a function that sends the transaction. Its calls share a token, because a retry after a lost response would
 * otherwise fail on its own effect. After a cancellation, the next call has a new token.
 */
function createTransaction(table: Table, writes: Write[]): () => Promise<void> {
  let token = randomUUID();
  return async () => {
    try {
      await table.client.send(
        new TransactWriteCommand({ TransactItems: writes, ClientRequestToken: token }),
      );
    } catch (error) {
      if (error instanceof TransactionCanceledException) token = randomUUID();
      throw error;
    }
  };
}

export type TransactionOutcome =
  | { readonly kind: 'changed' }
  /** The indexes of the writes whose conditions failed. */
  | { readonly kind: 'unchanged'; readonly failed: readonly number[] };

export async function transactWithFailures(
  table: Table,
  writes: Write[],
  policy: RetryPolicy = DEFAULT_RETRIES,
): Promise<TransactionOutcome> {
  let failed: readonly number[] = [];
  const write = createTransaction(table, writes);
  const outcome = await transition(async () => {
    try {
      await write();
    } catch (error) {
      failed = failedConditions(error);
      throw error;
    }
  }, policy);
  return outcome === 'changed' ? { kind: 'changed' } : { kind: 'unchanged', failed };
}

function failedConditions(error: unknown): readonly number[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  return (error.CancellationReasons ?? []).flatMap(({ Code }, position) =>
    Code === 'ConditionalCheckFailed' ? [position] : [],
  );
}

export interface RetryPolicy {
  readonly attempts: number;
  readonly baseMs: number;
  readonly capMs: number;
}

/** Up to 40 steps write one job's counters concurrently. */
const DEFAULT_RETRIES: RetryPolicy = { attempts: 9, baseMs: 25, capMs: 1_000 };

/**
 * Retries a conditional write until it succeeds or its condition fails. It uses full jitter: a random wait below an
 * exponential bound (AWS Architecture Blog, "Exponential Backoff And Jitter", 2015).
 * @throws TransientFailure if every attempt meets a conflict or is throttled
 */
export async function transition(
  write: () => Promise<void>,
  policy: RetryPolicy = DEFAULT_RETRIES,
): Promise<Transition> {
  for (let attempt = 0; attempt < policy.attempts; attempt++) {
    try {
      await write();
      return 'changed';
    } catch (error) {
      const verdict = classify(error);
      if (verdict === 'unchanged') return 'unchanged';
      if (verdict === 'fatal') throw error;
    }
    await sleep(Math.random() * Math.min(policy.capMs, policy.baseMs * 2 ** attempt));
  }
  throw new TransientFailure(
    `each of the write's ${policy.attempts} attempts met a conflict or was throttled`,
  );
}

/** Cancellation reasons after which a retry may succeed. */
const RETRIED_REASONS: ReadonlySet<string | undefined> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/**
 * A plain write gets `TransactionConflictException` while a transaction holds its item. The other error means that the
 * same transaction is still running.
 */
const RETRIED_NAMES: ReadonlySet<string> = new Set([
  'TransactionConflictException',
  'TransactionInProgressException',
]);

function classify(error: unknown): 'unchanged' | 'retry' | 'fatal' {
  if (error instanceof ConditionalCheckFailedException) return 'unchanged';
  if (error instanceof TransactionCanceledException) {
    const reasons = (error.CancellationReasons ?? []).map(({ Code }) => Code);
    if (reasons.includes('ConditionalCheckFailed')) return 'unchanged';
    return reasons.some((reason) => RETRIED_REASONS.has(reason)) ? 'retry' : 'fatal';
  }
  return error instanceof Error && RETRIED_NAMES.has(error.name) ? 'retry' : 'fatal';
}
