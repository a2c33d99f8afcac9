import type { APIGatewayProxyEvent } from 'aws-lambda';

/**
 * Where this API stands, by the request's own host and path, so that links hold behind a stage
 * prefix and behind a custom domain alike. The stage variable `base_url` names the address when
 * something that rewrites paths stands before the gateway.
 */
export function baseOf(
  event: APIGatewayProxyEvent,
  header: (name: string) => string | null,
): { readonly baseUrl: string; readonly path: string } {
  const { prefix, path } = split(event);
  const named = event.stageVariables?.['base_url'];
  if (named !== undefined && named !== '') return { baseUrl: named.replace(/\/+$/, ''), path };
  const scheme = header('x-forwarded-proto') === 'http' ? 'http' : 'https';
  const host = event.requestContext.domainName ?? header('host') ?? 'localhost';
  return { baseUrl: `${scheme}://${host}${prefix}`, path };
}

/**
 * `requestContext.path` is the path the client sent. On the API's default address it is
 * `/<stage>` and `event.path`; on a custom domain both carry the mapping's base path, and the
 * resource's own number of segments tells where that ends.
 */
function split(event: APIGatewayProxyEvent): { readonly prefix: string; readonly path: string } {
  const sent = event.requestContext.path;
  const stage = `/${event.requestContext.stage}`;
  if (sent === `${stage}${event.path}`) return { prefix: stage, path: event.path };
  const all = sent.split('/').slice(1);
  const own = ownSegments(event, all);
  return {
    prefix: all
      .slice(0, all.length - own)
      .map((segment) => `/${segment}`)
      .join(''),
    path: `/${all.slice(all.length - own).join('/')}`,
  };
}

function ownSegments(event: APIGatewayProxyEvent, all: readonly string[]): number {
  const trailing = all.at(-1) === '' ? 1 : 0;
  const resource = event.resource.split('/').filter((segment) => segment !== '');
  if (!event.resource.endsWith('{proxy+}')) return Math.min(resource.length + trailing, all.length);
  const rest = greedySegments(event.pathParameters?.['proxy'] ?? '', all) ?? trailing;
  return Math.min(resource.length - 1 + rest, all.length);
}

/**
 * How many of the sent path's last segments `{proxy+}` took. It may come decoded, so that a slash in
 * it was none in the path, and without the empty segments at its ends: the longest end of the path
 * that reads the same counts.
 */
function greedySegments(proxy: string, all: readonly string[]): number | null {
  const bare = (text: string) => decoded(text).replace(/^\/+|\/+$/g, '');
  const start = all.findIndex((_, from) => bare(all.slice(from).join('/')) === bare(proxy));
  return start === -1 ? null : all.length - start;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
