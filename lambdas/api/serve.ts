import {
  FALLBACK,
  fallbackOperation,
  type Handler,
  type Operation,
  respond,
} from './http/handle.ts';
import { requestedPath } from './http/request.ts';
import { routeAt } from './http/routing.ts';
import { type HandlerFile, NAMED_ROUTES, type ServedBy } from './routes.ts';

export type Operations<File extends HandlerFile> = Readonly<Record<ServedBy<File>, Operation>>;

/**
 * The Lambda handler of a function. It routes each request by path and method, because the gateway passes whole trees
 * of paths to a function. The operations are built together at the first request, so that importing a handler needs no
 * environment variables.
 */
export function serve<File extends HandlerFile>(
  file: File,
  build: () => Operations<File>,
): Handler {
  const fallback = fallbackOperation(NAMED_ROUTES);
  let built: Operations<File> | undefined;
  return (event) => {
    const found = routeAt(NAMED_ROUTES, requestedPath(event), event.httpMethod);
    if (found?.route.handler !== file) return respond(event, FALLBACK, () => fallback);
    const { route, parameters } = found;
    return respond({ ...event, pathParameters: { ...parameters } }, route, () => {
      built ??= build();
      return built[route.name as ServedBy<File>];
    });
  };
}
