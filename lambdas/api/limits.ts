import { environment } from '../adapters/environment.ts';
import { limitsView } from './contract/limits-view.ts';
import { readQuery } from './contract/parameters.ts';
import { handle, type Operation } from './http/handle.ts';
import { revalidated } from './http/response.ts';

export function limitsOperation(retentionDays: number): Operation {
  const answer = limitsView(retentionDays);
  return async (request) => {
    readQuery(request, []);
    return revalidated(request, answer);
  };
}

export const handler = handle('limits', () =>
  limitsOperation(environment('RETENTION_DAYS').RETENTION_DAYS),
);
