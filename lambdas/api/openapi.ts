import { environment } from '../adapters/environment.ts';
import { readQuery } from './contract/query.ts';
import { handle, type Operation } from './http/handle.ts';
import { revalidated } from './http/response.ts';
import { openApiDocument } from './specification/document.ts';
import { editionFor } from './specification/edition.ts';

export function openApiOperation(version: string): Operation {
  return async (request) => {
    readQuery(request, []);
    return revalidated(request, openApiDocument(editionFor(request, version)), {
      'Cache-Control': 'public, max-age=300',
    });
  };
}

export const handler = handle('openapi', () =>
  openApiOperation(environment('SERVICE_VERSION').SERVICE_VERSION),
);
