import { environment } from '../adapters/environment.ts';
import { handle, type Operation } from './http/handle.ts';
import { uncached } from './http/response.ts';

export function healthOperation(version: string): Operation {
  return async ({ deployment }) => uncached(200, { status: 'ok', version, deployment });
}

export const handler = handle('health', () =>
  healthOperation(environment('SERVICE_VERSION').SERVICE_VERSION),
);
