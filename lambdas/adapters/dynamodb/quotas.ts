import * as z from 'zod/mini';
import { NOTHING, type Quotas } from '../../domain/admission/quota.ts';
import { quotaKey } from './keys.ts';
import { readItem, type Table } from './table.ts';

const quotaItem = z.object({
  jobs: z.int(),
  square_metres: z.int(),
  jobs_given_back: z.int(),
  square_metres_given_back: z.int(),
});

/** Items `TENANT#<tenant>` / `QUOTA#<day>`, written by the transactions that create and finish batches. */
export function dynamoQuotas(table: Table): Quotas {
  return {
    async use(tenant, day) {
      const raw = await readItem(table, quotaKey(tenant, day));
      if (raw === null) return { used: NOTHING, refunded: NOTHING };
      const item = quotaItem.parse(raw);
      return {
        used: { jobs: item.jobs, squareMetres: item.square_metres },
        refunded: {
          jobs: item.jobs_given_back,
          squareMetres: item.square_metres_given_back,
        },
      };
    },
  };
}
