import type { Operation } from '../../http/handle.ts';
import type { OperationSpecification } from '../../specification/operation.ts';

/** Ignores query parameters, as the reference does. */
export function rootOperation(): Operation {
  return async ({ baseUrl }) => ({
    status: 302,
    headers: { Location: `${baseUrl}/docs`, 'Cache-Control': 'no-store' },
    body: '',
  });
}

export const rootSpecification: OperationSpecification = {
  tag: 'Service',
  summary: 'Root',
  description: 'Redirects to the [reference](#api-reference).',
  parameters: [],
  response: {
    status: 302,
    description: 'The reference is at `Location`',
    headers: ['Location', 'Cache-Control'],
    content: 'none',
  },
  problems: [],
};
