import type { OperationDefinition } from './definition.ts';

/** The response of an operation that people open in a browser. */
export const HTML_PAGE: OperationDefinition['response'] = {
  status: 200,
  description: 'The page',
  headers: ['ETag', 'Cache-Control'],
  content: 'text/html',
};
