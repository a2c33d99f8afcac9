import type { APIGatewayProxyEvent } from 'aws-lambda';

/**
 * The stage variable `base_url`. A deployment that introduces it replaces functions before stages;
 * until it ends, links are relative.
 */
export function baseUrlOf(event: APIGatewayProxyEvent): string {
  return event.stageVariables?.['base_url'] ?? '';
}

/**
 * The request's path behind the base URL. At API Gateway's own host `event.path` lacks the stage,
 * which `requestContext.path` has before it. On a custom domain the two are equal and begin with the
 * mapping's base path, if the mapping has one ("Map API stages to a custom domain name", API Gateway
 * Developer Guide).
 */
export function pathOf(event: APIGatewayProxyEvent): string {
  const { path } = event;
  if (event.requestContext.path !== path) return path;
  const basePath = baseUrlOf(event).replace(/^[a-z]+:\/\/[^/]*/, '');
  if (path === basePath) return '/';
  return path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path;
}
