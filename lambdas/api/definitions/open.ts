import * as z from 'zod/mini';
import type { ViewOf } from '../../domain/wire.ts';
import { named } from '../specification/published.ts';
import { BOTH, type OperationDefinitions } from './definition.ts';
import { HTML_PAGE } from './html-page.ts';

const healthResponse = named(
  'Health',
  z.strictObject({
    status: z.literal('ok'),
    version: z.string().check(z.minLength(1)),
    deployment: named('Deployment', z.enum(['v1', 'v2'])),
  }),
);

export type HealthResponse = ViewOf<typeof healthResponse>;

/** Operations without a key, except the console's. */
export const OPEN_OPERATIONS = {
  root: {
    operationId: 'getRoot',
    method: 'GET',
    path: '/',
    handler: 'open',
    auth: 'none',
    deployments: BOTH,
    tag: 'Service',
    summary: 'Root',
    description: 'Redirects to the [reference](#api-reference).',
    parameters: [],
    response: {
      status: 302,
      description: 'The reference is at `Location`',
      headers: ['Location', 'Cache-Control'],
      content: 'none',
    },
    problems: [],
  },
  health: {
    operationId: 'getHealth',
    method: 'GET',
    path: '/health',
    handler: 'open',
    auth: 'none',
    deployments: BOTH,
    tag: 'Service',
    summary: 'Health',
    description: 'Whether the API responds, with its version and deployment.',
    parameters: [],
    response: {
      status: 200,
      description: 'The API responds',
      headers: ['Cache-Control'],
      content: {
        schema: healthResponse,
        example: { status: 'ok', version: '0.3.0', deployment: 'v2' },
      },
    },
    problems: [],
  },
  openapi: {
    operationId: 'getOpenApi',
    method: 'GET',
    path: '/openapi.json',
    handler: 'open',
    auth: 'none',
    deployments: BOTH,
    tag: 'Service',
    summary: 'OpenAPI document',
    description: 'OpenAPI 3.1, with the base URL of the request as its server.',
    parameters: ['ifNoneMatch'],
    response: {
      status: 200,
      description: 'The document',
      headers: ['ETag', 'Cache-Control'],
      content: 'openapi',
    },
    problems: [],
  },
  docs: {
    operationId: 'getDocs',
    method: 'GET',
    path: '/docs',
    handler: 'open',
    auth: 'none',
    deployments: BOTH,
    tag: 'Service',
    summary: 'API reference',
    description: 'This reference as an HTML page.',
    parameters: ['ifNoneMatch'],
    response: HTML_PAGE,
    problems: [],
  },
  'problem-page': {
    operationId: 'getProblemPage',
    method: 'GET',
    path: '/docs/problems/{slug}',
    handler: 'open',
    auth: 'none',
    deployments: BOTH,
    tag: 'Service',
    summary: 'Problem page',
    description: 'The page behind the `type` of a problem: what it means and what to do.',
    parameters: ['slug', 'ifNoneMatch'],
    response: HTML_PAGE,
    problems: ['not-found'],
  },
} as const satisfies OperationDefinitions;
