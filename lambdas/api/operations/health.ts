import * as z from 'zod/mini';
import type { ViewOf } from '../../domain/wire.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { readQuery } from '../http/query.ts';
import { uncached } from '../http/response.ts';
import { named } from '../specification/published.ts';

export const healthResponse = named(
  'Health',
  z.strictObject({
    status: z.literal('ok'),
    version: z.string().check(z.minLength(1)),
    deployment: named('Deployment', z.enum(['v1', 'v2'])),
  }),
);

export type HealthResponse = ViewOf<typeof healthResponse>;

export const healthDefinition = {
  operationId: 'getHealth',
  tag: 'Service',
  summary: 'Health',
  description: 'Shows that the API responds, with its version and deployment.',
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
} as const satisfies OperationDefinition;

export function healthOperation({ version }: ServiceVersion): Operation {
  return async (request) => {
    readQuery(request, []);
    const body: HealthResponse = { status: 'ok', version, deployment: request.deployment };
    return uncached(200, body);
  };
}

export interface ServiceVersion {
  readonly version: string;
}
