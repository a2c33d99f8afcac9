import { dynamoDbClient } from '../adapters/clients.ts';
import { dynamoRequestPaces } from '../adapters/dynamodb/request-paces.ts';
import { openTable, type Table } from '../adapters/dynamodb/table.ts';
import { env } from '../adapters/environment.ts';
import { faultOf, log } from '../observability/log.ts';
import { type HandlerFile, OPERATIONS, type ServedBy } from './endpoints.ts';
import {
  FALLBACK,
  fallbackOperation,
  type Handler,
  type Operation,
  respond,
} from './http/handle.ts';
import { metered, type Weigh, weighing } from './http/metered.ts';
import { requestedPath } from './http/request.ts';
import { operationAt } from './http/routes.ts';

type Operations<File extends HandlerFile> = Readonly<Record<ServedBy<File>, Operation>>;

/**
 * The Lambda handler of a function whose operations need an API key. It counts requests against the
 * tenant's rate.
 */
export function serveKeyed<File extends Exclude<HandlerFile, 'open'>>(
  file: File,
  build: (table: Table, weigh: Weigh) => Operations<File>,
): Handler {
  return served(file, () => {
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

/** The Lambda handler of the function whose operations need no API key. */
export function serveOpen(build: () => Operations<'open'>): Handler {
  return served('open', build);
}

/**
 * Routes each request by path and method, because the gateway passes whole trees of paths to a function. The
 * operations are built together at the first request, so that importing a handler needs no environment variables.
 */
function served<File extends HandlerFile>(file: File, build: () => Operations<File>): Handler {
  const fallback = fallbackOperation(OPERATIONS);
  let built: Operations<File> | undefined;
  return (event) => {
    const found = operationAt(OPERATIONS, requestedPath(event), event.httpMethod);
    if (found?.operation.handler !== file) return respond(event, FALLBACK, () => fallback);
    const { operation, parameters } = found;
    return respond({ ...event, pathParameters: { ...parameters } }, operation, () => {
      built ??= build();
      return built[operation.name as ServedBy<File>];
    });
  };
}
