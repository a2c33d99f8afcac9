import { dynamoDbClient } from '../../adapters/clients.ts';
import { dynamoRequestPaces } from '../../adapters/dynamodb/request-paces.ts';
import { openTable, type Table } from '../../adapters/dynamodb/table.ts';
import { env } from '../../adapters/environment.ts';
import { faultOf, log } from '../../observability/log.ts';
import type { HandlerFile, ServedBy } from '../definitions/operations.ts';
import { type Handler, handle, type Operation } from './handle.ts';
import { type DefinitionsOf, handleEach } from './handle-each.ts';
import { metered, type Weigh, weighing } from './metered.ts';

/** Functions whose operations need an API key. */
type KeyedFile = Exclude<HandlerFile, 'console' | 'open'>;

/**
 * The Lambda handler of a function whose operations need an API key. It counts requests against the
 * tenant's rate. The operations are built together at the first request.
 */
export function handleKeyed<File extends KeyedFile>(
  file: File,
  definitions: DefinitionsOf<File>,
  build: (table: Table, weigh: Weigh) => Readonly<Record<ServedBy<File>, Operation>>,
): Handler {
  const open = () => {
    const table = openTable(env.TABLE_NAME, dynamoDbClient());
    const ports = {
      paces: dynamoRequestPaces(table),
      clock: table.clock,
      onFailure: (error: unknown) => log('error', 'request-rate', { fault: faultOf(error) }),
    };
    return { ports, operations: build(table, weighing(ports)) };
  };
  let built: ReturnType<typeof open> | undefined;
  return handleEach(file, definitions, (operation) =>
    handle(operation, () => {
      built ??= open();
      return metered(built.ports, built.operations[operation.name]);
    }),
  );
}
