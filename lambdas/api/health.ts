import { environment } from '../adapters/environment.ts';
import { readQuery } from './contract/query.ts';
import type { HealthResponse } from './contract/responses.ts';
import { handle, type Operation } from './http/handle.ts';
import { uncached } from './http/response.ts';

export function healthOperation(version: string): Operation {
  return async (request) => {
    readQuery(request, []);
    const answer: HealthResponse = { status: 'ok', version, deployment: request.deployment };
    return uncached(200, answer);
  };
}

export const handler = handle('health', () =>
  healthOperation(environment('SERVICE_VERSION').SERVICE_VERSION),
);
