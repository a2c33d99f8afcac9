import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from 'vitest';
import { transition } from '../../../lambdas/adapters/dynamodb/transition.ts';
import { asTransientFailure } from '../../../lambdas/adapters/service-failure.ts';

const RETRIES = { attempts: 4, baseMs: 0, capMs: 0 };

const $metadata = {};

const makeCancelledError = (...codes: string[]) =>
  new TransactionCanceledException({
    message: 'Transaction cancelled',
    $metadata,
    CancellationReasons: codes.map((Code) => ({ Code })),
  });

const makeConflictError = () =>
  Object.assign(new Error('Transaction is ongoing for the item'), {
    name: 'TransactionConflictException',
  });

function makeFailingWrite(...errors: readonly Error[]) {
  let calls = 0;
  const write = async (): Promise<void> => {
    const error = errors[calls++];
    if (error !== undefined) throw error;
  };
  return { write, calls: () => calls };
}

describe('a conditional write', () => {
  it('changes the state when its condition holds', async () => {
    expect(await transition(makeFailingWrite().write, RETRIES)).toBe('changed');
  });

  it.each([
    {
      what: 'alone',
      error: new ConditionalCheckFailedException({ message: 'no', $metadata }),
    },
    { what: 'in a transaction', error: makeCancelledError('None', 'ConditionalCheckFailed') },
    {
      what: 'in a transaction that also conflicts with another one',
      error: makeCancelledError('TransactionConflict', 'ConditionalCheckFailed'),
    },
  ])('changes nothing when its condition does not hold: $what', async ({ error }) => {
    const { write, calls } = makeFailingWrite(error);
    expect(await transition(write, RETRIES)).toBe('unchanged');
    expect(calls()).toBe(1);
  });

  it('is retried while other requests write the same item', async () => {
    const { write, calls } = makeFailingWrite(
      makeCancelledError('None', 'TransactionConflict'),
      makeConflictError(),
    );
    expect(await transition(write, RETRIES)).toBe('changed');
    expect(calls()).toBe(3);
  });

  it('fails after a bounded number of attempts with a retryable error', async () => {
    const { write, calls } = makeFailingWrite(...Array.from({ length: 9 }, makeConflictError));
    await expect(transition(write, RETRIES)).rejects.toMatchObject({
      name: 'TransientFailure',
    });
    expect(calls()).toBe(RETRIES.attempts);
  });

  it('rethrows other errors', async () => {
    const { write, calls } = makeFailingWrite(makeCancelledError('ValidationError'));
    await expect(transition(write, RETRIES)).rejects.toThrow(TransactionCanceledException);
    expect(calls()).toBe(1);
  });
});

describe('an error from a step', () => {
  const error = (name: string, members: object = {}) =>
    Object.assign(new Error('x'), { name }, members);

  it.each([
    error('ThrottlingException', { $metadata: { httpStatusCode: 400 } }),
    error('ProvisionedThroughputExceededException'),
    error('InternalServerError', { $metadata: { httpStatusCode: 500 } }),
    error('SlowDown', { $metadata: { httpStatusCode: 503 } }),
    error('TimeoutError'),
    error('Error', { code: 'ECONNRESET' }),
  ])('becomes a transient error if a service caused it: $name', (failure) => {
    expect(asTransientFailure(failure)).toMatchObject({ name: 'TransientFailure', cause: failure });
  });

  it.each([
    error('AccessDeniedException', { $metadata: { httpStatusCode: 400 } }),
    error('CovariateUnavailable'),
    error('TypeError'),
  ])('keeps its own name otherwise: $name', (failure) => {
    expect(asTransientFailure(failure)).toBe(failure);
  });
});
