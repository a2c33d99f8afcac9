import {
  buildOperations,
  type OperationList,
  type OperationPorts,
  type Operations,
} from './definition.ts';
import {
  FALLBACK,
  fallbackOperation,
  type Handler,
  type Operation,
  respond,
} from './http/handle.ts';
import { requestedPath } from './http/request.ts';
import { routeAt } from './http/routing.ts';
import { NAMED_ROUTES } from './routes.ts';

/**
 * The gateway passes whole trees of paths to the function, so the handler routes each request by path and method.
 * @param openPorts called at the first request to one of the operations, so that importing a handler needs no
 * environment variables
 * @param wrap called with each operation, for example to meter it
 */
export function serve<List extends OperationList>(
  list: List,
  openPorts: () => OperationPorts<List>,
  wrap = (operation: Operation) => operation,
): Handler {
  const fallback = fallbackOperation(NAMED_ROUTES);
  let operations: Operations<List> | undefined;
  return (event) => {
    const found = routeAt(NAMED_ROUTES, requestedPath(event), event.httpMethod);
    if (!found || !(found.route.name in list)) return respond(event, FALLBACK, () => fallback);
    const { route, parameters } = found;
    return respond({ ...event, pathParameters: { ...parameters } }, route, () => {
      operations ??= buildOperations(list, openPorts(), wrap);
      return operations[route.name as keyof List];
    });
  };
}
