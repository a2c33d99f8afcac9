import { preflightHeaders } from './http/cors.ts';
import { handle, type Operation } from './http/handle.ts';
import { Problem } from './http/problem.ts';
import { problemPage } from './http/problem-page.ts';
import { isProblemSlug } from './http/problem-types.ts';
import type { ApiRequest } from './http/request.ts';
import type { ApiResponse } from './http/response.ts';
import { methodsOf } from './http/routes.ts';

const PROBLEM_PAGE = /^\/docs\/problems\/([^/]+)\/?$/;

/** Whatever no operation took: the pages of the problems, 404, 405 and OPTIONS. */
export function fallbackOperation(): Operation {
  return async (request) => {
    const methods = methodsOf(request.path);
    if (methods === null) throw notFound(request);
    const page = problemPageOf(request);
    if (page !== null) return page;
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

function problemPageOf(request: ApiRequest): ApiResponse | null {
  const slug = PROBLEM_PAGE.exec(request.path)?.[1];
  if (slug === undefined || (request.method !== 'GET' && request.method !== 'HEAD')) return null;
  if (!isProblemSlug(slug)) throw notFound(request);
  return problemPage(slug, request);
}

function notFound(request: ApiRequest): Problem {
  return new Problem(
    'not-found',
    `No operation of this API has the path ${request.path}; ${request.baseUrl}/docs lists those there are.`,
  );
}

export const handler = handle('fallback', fallbackOperation);
