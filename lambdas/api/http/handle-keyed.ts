import { dynamoRequestPaces } from '../../adapters/dynamodb/request-paces.ts';
import { openTable, type Table } from '../../adapters/dynamodb/table.ts';
import { environment } from '../../adapters/environment.ts';
import { faultOf, log } from '../../log.ts';
import { handle, type Operation } from './handle.ts';
import { metered, type Weigh, weighing } from './metered.ts';

/** As {@link handle}, for an operation behind a key: its tenant's requests are counted. */
export function handleKeyed(name: string, build: (table: Table, weigh: Weigh) => Operation) {
  return handle(name, () => {
    const table = openTable(environment('TABLE_NAME').TABLE_NAME);
    const ports = {
      paces: dynamoRequestPaces(table),
      clock: table.clock,
      onFailure: (error: unknown) => log('error', 'request-rate', { fault: faultOf(error) }),
    };
    return metered(ports, build(table, weighing(ports)));
  });
}
