import { isDeepStrictEqual } from 'node:util';
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  IdempotentParameterMismatchException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import type {
  DeleteCommandInput,
  PutCommandInput,
  TransactWriteCommandInput,
  UpdateCommandInput,
} from '@aws-sdk/lib-dynamodb';
import type { Clock } from '../../../lambdas/domain/clock.ts';
import { notImplementedError, validationError } from './errors.ts';
import { applyUpdate, readExpressions, toAttributes } from './expressions.ts';
import { formatKeyName, type Items, readKey, StoredItem } from './items.ts';
import { checkOptions, WRITE_OPTIONS } from './options.ts';
import { QUOTAS } from './sizes.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type Check = NonNullable<TransactItem['ConditionCheck']>;

interface Planned {
  readonly before: StoredItem | undefined;
  readonly holds: boolean;
  /** Performs the write; it does nothing if the write is only a condition check. */
  readonly write: (items: Items) => void;
  readonly place: string;
  readonly bytes: number;
}

type Failing = Partial<Pick<Check, 'ConditionExpression' | 'ReturnValuesOnConditionCheckFailure'>>;

const NOTHING = () => undefined;

export function putItem(items: Items, input: PutCommandInput): object {
  return writeAlone(items, planPut(items, input), input);
}

export function updateItem(items: Items, input: UpdateCommandInput): object {
  return writeAlone(items, planUpdate(items, input), input);
}

export function removeItem(items: Items, input: DeleteCommandInput): object {
  return writeAlone(items, planDelete(items, input), input);
}

/** Every state change is a conditional write, so a write must have a condition. */
function writeAlone(items: Items, planned: Planned, input: Failing): object {
  if (input.ConditionExpression === undefined) {
    throw notImplementedError('writes without ConditionExpression');
  }
  if (!planned.holds) {
    throw new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      $metadata: {},
      ...chooseReturnedItem(planned, input),
    });
  }
  planned.write(items);
  return {};
}

/**
 * Returns the item in DynamoDB's format, because the document client does not convert the item that is attached to an
 * error.
 */
function chooseReturnedItem({ before }: Planned, input: Failing) {
  const isAsked = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
  return isAsked && before !== undefined ? { Item: { ...before.item } } : {};
}

function planPut(items: Items, input: PutCommandInput): Planned {
  checkOptions('Put', input, ['Item', ...WRITE_OPTIONS]);
  const { scope, condition } = readExpressions(input);
  const after = new StoredItem(toAttributes(input.Item ?? {}));
  const before = items.readItem(after);
  return {
    before,
    holds: condition({ ...scope, item: before?.item ?? {} }),
    write: () => items.putItem(after),
    place: formatKeyName(after),
    bytes: after.bytes,
  };
}

function planUpdate(items: Items, input: UpdateCommandInput): Planned {
  checkOptions('Update', input, ['Key', 'UpdateExpression', ...WRITE_OPTIONS]);
  const { scope, condition, update: actions } = readExpressions(input);
  const key = toAttributes(input.Key ?? {});
  const before = items.readItem(readKey(key));
  const planned = { before, place: formatKeyName(readKey(key)) };
  if (!condition({ ...scope, item: before?.item ?? {} })) {
    return { ...planned, holds: false, write: NOTHING, bytes: 0 };
  }
  const after = new StoredItem(applyUpdate(actions, { ...scope, item: before?.item ?? key }));
  return { ...planned, holds: true, write: () => items.putItem(after), bytes: after.bytes };
}

function planDelete(items: Items, input: DeleteCommandInput): Planned {
  checkOptions('Delete', input, ['Key', ...WRITE_OPTIONS]);
  const planned = planCheck(items, input);
  const { before } = planned;
  return { ...planned, write: () => before && items.deleteItem(before) };
}

function planCheck(items: Items, input: Check | DeleteCommandInput): Planned {
  checkOptions('ConditionCheck', input, ['Key', ...WRITE_OPTIONS]);
  const { scope, condition } = readExpressions(input);
  const key = readKey(toAttributes(input.Key ?? {}));
  const before = items.readItem(key);
  const holds = condition({ ...scope, item: before?.item ?? {} });
  return { before, holds, write: NOTHING, place: formatKeyName(key), bytes: before?.bytes ?? 0 };
}

function planWrite(items: Items, { Put, Update, Delete, ConditionCheck, ...rest }: TransactItem) {
  const planned = [
    ...(Put === undefined ? [] : [planPut(items, Put)]),
    ...(Update === undefined ? [] : [planUpdate(items, Update)]),
    ...(Delete === undefined ? [] : [planDelete(items, Delete)]),
    ...(ConditionCheck === undefined ? [] : [planCheck(items, ConditionCheck)]),
  ];
  const [only] = planned;
  if (only === undefined || planned.length > 1 || Object.keys(rest).length > 0) {
    throw validationError('TransactItems can only contain one of Check, Put, Update or Delete');
  }
  return {
    ...only,
    reason: toCancellationReason(only, Put ?? Update ?? Delete ?? ConditionCheck ?? {}),
  };
}

function toCancellationReason(planned: Planned, input: Failing): CancellationReason {
  if (planned.holds) return { Code: 'None' };
  const Message = 'The conditional request failed';
  return { Code: 'ConditionalCheckFailed', Message, ...chooseReturnedItem(planned, input) };
}

/** DynamoDB remembers a client request token for this long (API Reference, `TransactWriteItems`). */
const TOKEN_MINUTES = 10;

/** A transaction that is repeated with its token is not performed again. */
export class Transactions {
  private readonly done = new Map<string, { readonly until: number; readonly writes: unknown }>();
  private readonly items: Items;
  private readonly clock: Clock;

  constructor(items: Items, clock: Clock) {
    this.items = items;
    this.clock = clock;
  }

  write(input: TransactWriteCommandInput): object {
    checkOptions('TransactWrite', input, ['TransactItems', 'ClientRequestToken']);
    const { TransactItems: writes = [], ClientRequestToken: token } = input;
    if (this.isRepeat(token, writes)) return {};
    if (writes.length === 0 || writes.length > QUOTAS.writesOfTransaction) {
      throw validationError(`a transaction must have 1 to ${QUOTAS.writesOfTransaction} writes`);
    }
    const planned = writes.map((write) => planWrite(this.items, write));
    if (new Set(planned.map(({ place }) => place)).size < planned.length) {
      throw validationError('Transaction request cannot include multiple operations on one item');
    }
    if (planned.reduce((sum, { bytes }) => sum + bytes, 0) > QUOTAS.transaction) {
      throw validationError('the items of the transaction are too large in total');
    }
    const reasons = planned.map(({ reason }) => reason);
    if (planned.some(({ holds }) => !holds)) {
      throw new TransactionCanceledException({
        message: `Transaction cancelled [${reasons.map(({ Code }) => Code).join(', ')}]`,
        $metadata: {},
        CancellationReasons: reasons,
      });
    }
    for (const { write } of planned) write(this.items);
    if (token !== undefined) {
      const until = this.clock().getTime() + TOKEN_MINUTES * 60_000;
      this.done.set(token, { until, writes });
    }
    return {};
  }

  private isRepeat(token: string | undefined, writes: unknown): boolean {
    const now = this.clock().getTime();
    for (const [old, { until }] of this.done) {
      if (until > now) break;
      this.done.delete(old);
    }
    const before = token === undefined ? undefined : this.done.get(token);
    if (before === undefined) return false;
    if (isDeepStrictEqual(before.writes, writes)) return true;
    throw new IdempotentParameterMismatchException({
      message: 'the token belongs to another transaction',
      $metadata: {},
    });
  }
}
