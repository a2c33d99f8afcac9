import * as z from 'zod/mini';
import type { ScanPositions } from '../../domain/reconcile/index-scan.ts';
import { scanPositionKey } from './keys.ts';
import { readItem, type Table } from './table.ts';
import { putOnCondition } from './transition.ts';

const AT_START = 'attribute_not_exists(place) OR attribute_type(place, :null)';

/** Items `SWEEPS` / `SWEEP#<index>`: where the reconciler's last run ended. */
export function dynamoScanPositions(table: Table): ScanPositions {
  return {
    async readPosition(name) {
      const item = await readItem(table, scanPositionKey(name));
      return z.nullable(z.string()).parse(item?.['place'] ?? null);
    },

    advance(name, from, to) {
      return putOnCondition(table, {
        Item: { ...scanPositionKey(name), place: to },
        ConditionExpression: from === null ? AT_START : 'place = :from',
        ExpressionAttributeValues: from === null ? { ':null': 'NULL' } : { ':from': from },
      });
    },
  };
}
