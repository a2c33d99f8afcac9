import type { Tenants } from '../../domain/tenant/tenant.ts';
import { readItem, type Table } from './table.ts';

/** Item `TENANT#<tenant>` / `TENANT`: written only when there is something to say of a tenant. */
export function dynamoTenants(table: Table): Tenants {
  return {
    async isDisabled(tenant) {
      const item = await readItem(table, { pk: `TENANT#${tenant}`, sk: 'TENANT' });
      return item !== null && item['disabled_at'] !== undefined;
    },
  };
}
