import { dynamoDbClient } from '../adapters/clients.ts';
import { dynamoRequestPaces } from '../adapters/dynamodb/request-paces.ts';
import { openTable, type Table } from '../adapters/dynamodb/table.ts';
import { env } from '../adapters/environment.ts';
import { faultOf, log } from '../observability/log.ts';
import type { Handler, Operation } from './http/handle.ts';
import { metered, type Weigh, weighing } from './http/metered.ts';
import type { HandlerFile } from './routes.ts';
import { type Operations, serve } from './serve.ts';

/**
 * The Lambda handler of a function whose operations need an API key. It counts requests against the
 * tenant's rate.
 */
export function serveKeyed<File extends Exclude<HandlerFile, 'open'>>(
  file: File,
  build: (table: Table, weigh: Weigh) => Operations<File>,
): Handler {
  return serve(file, () => {
    const table = openTable(env.TABLE_NAME, dynamoDbClient());
    const meter = {
      paces: dynamoRequestPaces(table),
      clock: table.clock,
      onFailure: (error: unknown) => log('error', 'request-rate', { fault: faultOf(error) }),
    };
    const operations = Object.entries<Operation>(build(table, weighing(meter)));
    const counted = operations.map(([name, operation]) => [name, metered(meter, operation)]);
    return Object.fromEntries(counted) as Operations<File>;
  });
}
