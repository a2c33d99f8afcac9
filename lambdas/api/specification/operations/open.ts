import { EXAMPLES } from '../examples.ts';
import type { OperationSpecification } from '../operation.ts';

/** What answers without a key. */
export const OPEN: readonly OperationSpecification[] = [
  {
    operationId: 'getHealth',
    method: 'get',
    path: '/health',
    tag: 'Service',
    summary: 'Health',
    description: 'Whether the API answers, in which version and deployment.',
    open: true,
    parameters: [],
    answer: {
      status: 200,
      description: 'It answers',
      headers: ['Cache-Control'],
      content: { schema: 'Health', example: EXAMPLES.health },
    },
    problems: [],
  },
  {
    operationId: 'getOpenApi',
    method: 'get',
    path: '/openapi.json',
    tag: 'Service',
    summary: 'This specification',
    description: 'OpenAPI 3.1, with the address it was asked at as its server.',
    open: true,
    parameters: ['ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The document',
      headers: ['ETag', 'Cache-Control'],
      content: 'openapi',
    },
    problems: [],
  },
  {
    operationId: 'getDocs',
    method: 'get',
    path: '/docs',
    tag: 'Service',
    summary: 'The reference as a page',
    description: 'This specification for people.',
    open: true,
    parameters: ['ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The page',
      headers: ['ETag', 'Cache-Control'],
      content: 'text/html',
    },
    problems: [],
  },
  {
    operationId: 'getProblemPage',
    method: 'get',
    path: '/docs/problems/{slug}',
    tag: 'Service',
    summary: 'What a problem means',
    description: 'The page behind the `type` of a problem.',
    open: true,
    parameters: ['slug', 'ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The page',
      headers: ['ETag', 'Cache-Control'],
      content: 'text/html',
    },
    problems: ['not-found'],
  },
];
