import type { Route } from '../definitions/definition.ts';
import type { Operation } from '../handling/handle.ts';
import { methodsOf } from '../handling/routes.ts';
import { noSuchPath } from '../problems/not-found.ts';
import { Problem } from '../problems/problem.ts';
import { preflightHeaders } from '../responses/cors.ts';

/**
 * Serves every request that no operation serves: 404, 405 and OPTIONS.
 * @param routes of all operations whose paths lead to the function
 */
export function fallbackOperation(routes: readonly Route[]): Operation {
  return async (request) => {
    const methods = methodsOf(routes, request.path);
    if (methods === null) throw noSuchPath(request);
    const Allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method === 'OPTIONS') {
      const headers = { Allow, ...preflightHeaders(request, methods) };
      return { status: 204, headers, body: '' };
    }
    throw new Problem(
      'method-not-allowed',
      `${request.method} is not allowed on ${request.path}; allowed: ${Allow}.`,
      { headers: { Allow } },
    );
  };
}
