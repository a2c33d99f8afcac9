import type { APIGatewayProxyEvent } from 'aws-lambda';

/**
 * The stage variable `base_url`. The deployment that introduces it updates functions before stages; in
 * between, links are relative.
 */
export function baseUrlOf(event: APIGatewayProxyEvent): string {
  return event.stageVariables?.['base_url'] ?? '';
}

/**
 * The request's path relative to the base URL. On API Gateway's default host `event.path` lacks the stage,
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
