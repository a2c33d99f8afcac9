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
import { TransientFailure } from '../../domain/transient-failure.ts';
import type { Transition } from '../../domain/transition.ts';
import type { Table } from './table.ts';

/** Every state change is one of these three: a write on condition of the state it leaves. */
type Put = Omit<PutCommandInput, 'TableName'> & { readonly ConditionExpression: string };
type Update = Omit<UpdateCommandInput, 'TableName'> & { readonly ConditionExpression: string };
type Writes = NonNullable<TransactWriteCommandInput['TransactItems']>;

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

/** All writes or none; `unchanged` when any of their conditions does not hold. */
export function transact(table: Table, writes: Writes): Promise<Transition> {
  return transition(transaction(table, writes));
}

/**
 * One transaction, however often it is sent: a token names it, or one that was done though its answer
 * was lost would be refused for its own effect. What was cancelled is done, and begun anew as another.
 */
function transaction(table: Table, writes: Writes): () => Promise<void> {
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
  /** Positions of the writes whose conditions did not hold. */
  | { readonly kind: 'unchanged'; readonly failed: readonly number[] };

/** As {@link transact}, for a caller who must know which condition did not hold. */
export async function transactWithFailures(
  table: Table,
  writes: Writes,
  patience: RetryPolicy = DEFAULT_RETRIES,
): Promise<TransactionOutcome> {
  let failed: readonly number[] = [];
  const write = transaction(table, writes);
  const outcome = await transition(async () => {
    try {
      await write();
    } catch (error) {
      failed = failedConditions(error);
      throw error;
    }
  }, patience);
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

/** About three seconds at most: counters of one job are written by at most 40 steps at a time. */
const DEFAULT_RETRIES: RetryPolicy = { attempts: 9, baseMs: 25, capMs: 1_000 };

/**
 * Runs a conditional write until it is decided. Full jitter: waits anything between nothing and a
 * doubling bound (AWS Architecture Blog, "Exponential Backoff And Jitter", 2015).
 * @throws TransientFailure when other writers of the same item kept winning
 */
export async function transition(
  write: () => Promise<void>,
  patience: RetryPolicy = DEFAULT_RETRIES,
): Promise<Transition> {
  for (let attempt = 0; attempt < patience.attempts; attempt++) {
    try {
      await write();
      return 'changed';
    } catch (error) {
      const verdict = verdictOn(error);
      if (verdict === 'unchanged') return 'unchanged';
      if (verdict === 'fatal') throw error;
    }
    await sleep(Math.random() * Math.min(patience.capMs, patience.baseMs * 2 ** attempt));
  }
  throw new TransientFailure(
    `other writers of the same item won ${patience.attempts} times in a row`,
  );
}

/** Reasons of a cancelled transaction that say nothing about its conditions. */
const RETRIED_REASONS: ReadonlySet<string | undefined> = new Set([
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
]);

/** A plain write meets the first while a transaction holds its item; the second is its own echo. */
const RETRIED_NAMES: ReadonlySet<string> = new Set([
  'TransactionConflictException',
  'TransactionInProgressException',
]);

function verdictOn(error: unknown): 'unchanged' | 'retry' | 'fatal' {
  if (error instanceof ConditionalCheckFailedException) return 'unchanged';
  if (error instanceof TransactionCanceledException) {
    const reasons = (error.CancellationReasons ?? []).map(({ Code }) => Code);
    if (reasons.includes('ConditionalCheckFailed')) return 'unchanged';
    return reasons.some((reason) => RETRIED_REASONS.has(reason)) ? 'retry' : 'fatal';
  }
  return error instanceof Error && RETRIED_NAMES.has(error.name) ? 'retry' : 'fatal';
}
