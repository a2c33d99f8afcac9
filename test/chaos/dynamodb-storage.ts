import { dynamoStores } from '../../lambdas/adapters/dynamodb/stores.ts';
import type { Clock } from '../../lambdas/domain/clock.ts';
import type { StateTable } from '../support/deployed/state-table.ts';
import type { Storage } from '../support/simulation/storage.ts';

export function dynamodbStorage(state: StateTable, clock: Clock): Storage {
  return { ...dynamoStores({ ...state, clock, ends: new Map() }), close: state.delete };
}
