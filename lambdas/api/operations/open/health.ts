import * as z from 'zod/mini';
import type { ViewOf } from '../../../domain/wire.ts';
import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { uncached } from '../../http/response.ts';
import type { ServiceVersion } from '../../specification/deployment-info.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import { named } from '../../specification/published.ts';

const healthResponse = named(
  'Health',
  z.strictObject({
    status: z.literal('ok'),
    version: z.string().check(z.minLength(1)),
    deployment: named('Deployment', z.enum(['v1', 'v2'])),
  }),
);

type HealthResponse = ViewOf<typeof healthResponse>;

export function healthOperation({ version }: ServiceVersion): Operation {
  return async (request) => {
    readQuery(request, []);
    const body: HealthResponse = { status: 'ok', version, deployment: request.deployment };
    return uncached(200, body);
  };
}

export const healthSpecification: OperationSpecification = {
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
      example: { status: 'ok', version: '0.2.0', deployment: 'v2' },
    },
  },
  problems: [],
};
