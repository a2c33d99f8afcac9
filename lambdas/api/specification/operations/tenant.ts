import { EXAMPLES } from '../examples.ts';
import type { OperationSpecification } from '../operation.ts';

/** What a tenant may ask for, and of which models. */
export const TENANT: readonly OperationSpecification[] = [
  {
    operationId: 'getUsage',
    method: 'get',
    path: '/v1/usage',
    tag: 'Service',
    summary: 'Usage',
    description:
      'What your tenant took of today’s quota and what is left. A batch counts its jobs and their ground area when it is created; a job that can only fail counts no area; jobs that fail by our fault are given back when their batch ends.',
    parameters: ['ifNoneMatch'],
    answer: {
      status: 200,
      description: 'Today, in UTC',
      headers: ['ETag', 'Cache-Control'],
      content: { schema: 'Usage', example: EXAMPLES.usage },
    },
    problems: [],
  },
  {
    operationId: 'getLimits',
    method: 'get',
    path: '/v1/limits',
    tag: 'Service',
    summary: 'Limits',
    description: 'What a request may ask for, and how long results stay.',
    parameters: ['ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The limits in force',
      headers: ['ETag', 'Cache-Control'],
      content: { schema: 'Limits', example: EXAMPLES.limits },
    },
    problems: [],
  },
  {
    operationId: 'getModels',
    method: 'get',
    path: '/v1/models',
    tag: 'Service',
    summary: 'Models',
    description:
      'The models of this deployment: what they predict, where they hold, how accurate they are, under which licences.',
    parameters: ['ifNoneMatch'],
    answer: {
      status: 200,
      description: 'The models, in the order in which they are tried',
      headers: ['ETag', 'Cache-Control'],
      content: { schema: 'Models', example: EXAMPLES.models },
    },
    problems: [],
  },
];
