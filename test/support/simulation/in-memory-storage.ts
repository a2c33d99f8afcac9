import { dynamoStores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import type { Clock } from '../../../lambdas/domain/clock.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';
import type { Storage } from './storage.ts';

export function inMemoryStorage(clock: Clock): Storage {
  return { ...dynamoStores(inMemoryTable(clock)), close: async () => undefined };
}
