import type { Deployment } from './request.ts';

export interface Route {
  /** GET operations also serve HEAD (RFC 9110, section 9.3.2). */
  readonly method: 'GET' | 'POST';
  readonly path: `/${string}`;
  /** The deployments that have the operation. On V1, the path of a V2 operation responds with 404 and the URL on V2. */
  readonly deployments: readonly Deployment[];
}

export interface MatchedRoute<R extends Route> {
  readonly route: R;
  readonly parameters: Readonly<Record<string, string>>;
}

/** Finds the route of a request. HEAD has the route of GET, and a trailing slash is ignored. */
export function routeAt<R extends Route>(
  routes: readonly R[],
  path: string,
  method: string,
): MatchedRoute<R> | undefined {
  const defined = method === 'HEAD' ? 'GET' : method;
  return matchRoutes(routes, path).find(({ route }) => route.method === defined);
}

/** Returns null if no route has the path. */
export function listMethods(routes: readonly Route[], path: string): readonly string[] | null {
  const methods = matchRoutes(routes, path)
    .flatMap(({ route: { method } }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
    .sort();
  return methods.length === 0 ? null : methods;
}

/** A path without parameters takes precedence over one whose parameter would match the same text. */
function matchRoutes<R extends Route>(
  routes: readonly R[],
  path: string,
): readonly MatchedRoute<R>[] {
  const segments = splitSegments(path);
  const matches = routes.flatMap((route) => {
    const parameters = parametersIn(splitSegments(route.path), segments);
    return parameters === undefined ? [] : [{ route, parameters }];
  });
  const exact = matches.filter(({ parameters }) => Object.keys(parameters).length === 0);
  return exact.length > 0 ? exact : matches;
}

function splitSegments(path: string): readonly string[] {
  return path.replace(/^\/|\/$/g, '').split('/');
}

function parametersIn(
  template: readonly string[],
  segments: readonly string[],
): Readonly<Record<string, string>> | undefined {
  const fits =
    template.length === segments.length &&
    template.every((part, index) =>
      part.startsWith('{') ? segments[index] !== '' : part === segments[index],
    );
  if (!fits) return undefined;
  const named = template.flatMap((part, index) =>
    part.startsWith('{') ? [[part.slice(1, -1), decodeSegment(segments[index] ?? '')]] : [],
  );
  return Object.fromEntries(named);
}

function decodeSegment(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
