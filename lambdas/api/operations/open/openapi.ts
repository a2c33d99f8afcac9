import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { revalidated } from '../../http/response.ts';
import { deploymentInfoOf } from '../../specification/deployment-info.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import type { OpenPorts } from './open-ports.ts';

export function openApiOperation({ version, document }: OpenPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    return revalidated(request, document(deploymentInfoOf(request, version)), {
      'Cache-Control': 'public, max-age=300',
    });
  };
}

export const openApiSpecification: OperationSpecification = {
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
};
