import * as z from 'zod/mini';
import type { Sweeps } from '../../domain/reconcile/sweep.ts';
import { sweepKey } from './keys.ts';
import { readItem, type Table } from './table.ts';
import { putOnCondition } from './transition.ts';

const NOT_BEGUN = 'attribute_not_exists(place) OR attribute_type(place, :null)';

/** Items `SWEEPS` / `SWEEP#<index>`: where the reconciler's last run ended. */
export function dynamoSweeps(table: Table): Sweeps {
  return {
    async readPlace(name) {
      const item = await readItem(table, sweepKey(name));
      return z.nullable(z.string()).parse(item?.['place'] ?? null);
    },

    goOn(name, from, to) {
      return putOnCondition(table, {
        Item: { ...sweepKey(name), place: to },
        ConditionExpression: from === null ? NOT_BEGUN : 'place = :from',
        ExpressionAttributeValues: from === null ? { ':null': 'NULL' } : { ':from': from },
      });
    },
  };
}
