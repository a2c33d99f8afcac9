import { dynamoDbClient } from '../../adapters/clients.ts';
import { dynamoRequestPaces } from '../../adapters/dynamodb/request-paces.ts';
import { openTable, type Table } from '../../adapters/dynamodb/table.ts';
import { env } from '../../adapters/environment.ts';
import { faultOf, log } from '../../observability/log.ts';
import { type HandlerFile, OPERATIONS, type ServedBy } from '../definitions/operations.ts';
import { fallbackOperation } from '../operations/fallback.ts';
import { requestedPath } from '../requests/request.ts';
import { FALLBACK, type Handled, type Handler, handle, type Operation } from './handle.ts';
import { metered, type Weigh, weighing } from './metered.ts';
import { operationAt } from './routes.ts';

type Operations<File extends HandlerFile> = Readonly<Record<ServedBy<File>, Operation>>;

/**
 * The Lambda handler of a function whose operations need an API key. It counts requests against the
 * tenant's rate. The operations are built together at the first request.
 */
export function serveKeyed<File extends Exclude<HandlerFile, 'open'>>(
  file: File,
  build: (table: Table, weigh: Weigh) => Operations<File>,
): Handler {
  const open = () => {
    const table = openTable(env.TABLE_NAME, dynamoDbClient());
    const meter = {
      paces: dynamoRequestPaces(table),
      clock: table.clock,
      onFailure: (error: unknown) => log('error', 'request-rate', { fault: faultOf(error) }),
    };
    return { meter, operations: build(table, weighing(meter)) };
  };
  let built: ReturnType<typeof open> | undefined;
  return served(file, (operation) => {
    built ??= open();
    return metered(built.meter, operation(built.operations));
  });
}

/** The Lambda handler of the function whose operations need no API key. */
export function serveOpen(build: () => Operations<'open'>): Handler {
  let built: Operations<'open'> | undefined;
  return served('open', (operation) => {
    built ??= build();
    return operation(built);
  });
}

type Chosen<File extends HandlerFile> = (operations: Operations<File>) => Operation;

/** Routes each request by path and method, because the gateway passes whole trees of paths to a function. */
function served<File extends HandlerFile>(
  file: File,
  open: (chosen: Chosen<File>) => Operation,
): Handler {
  const handlerOf = (handled: Handled, chosen: Chosen<File>) => handle(handled, () => open(chosen));
  const own = OPERATIONS.filter(({ handler }) => handler === file).map((operation) => ({
    ...operation,
    handle: handlerOf(operation, (operations) => operations[operation.name as ServedBy<File>]),
  }));
  const fallback = handlerOf(FALLBACK, () => fallbackOperation(OPERATIONS));
  return (event) => {
    const found = operationAt(own, requestedPath(event), event.httpMethod);
    if (found === undefined) return fallback(event);
    return found.operation.handle({ ...event, pathParameters: { ...found.parameters } });
  };
}
