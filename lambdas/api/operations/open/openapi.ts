import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { revalidated } from '../../http/response.ts';
import { editionFor } from '../../specification/edition.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import type { OpenPorts } from './open-ports.ts';

export function openApiOperation({ version, document }: OpenPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    return revalidated(request, document(editionFor(request, version)), {
      'Cache-Control': 'public, max-age=300',
    });
  };
}

export const openApiSpecification: OperationSpecification = {
  tag: 'Service',
  summary: 'This specification',
  description: 'OpenAPI 3.1, with the address it was asked at as its server.',
  parameters: ['ifNoneMatch'],
  response: {
    status: 200,
    description: 'The document',
    headers: ['ETag', 'Cache-Control'],
    content: 'openapi',
  },
  problems: [],
};
