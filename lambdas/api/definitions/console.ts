import { ONLY_V2, type OperationDefinitions } from './definition.ts';
import { HTML_PAGE } from './html-page.ts';

export const CONSOLE_OPERATIONS = {
  console: {
    operationId: 'getConsole',
    method: 'GET',
    path: '/console',
    handler: 'open',
    auth: 'none',
    deployments: ONLY_V2,
    tag: 'Service',
    summary: 'Console',
    description:
      'The console as an HTML page: draw or drop fields, see the cost, watch the progress and read the values.',
    parameters: ['ifNoneMatch'],
    response: HTML_PAGE,
    problems: [],
  },
  'console-asset': {
    operationId: 'getConsoleAsset',
    method: 'GET',
    path: '/console/{asset}',
    handler: 'open',
    auth: 'none',
    deployments: ONLY_V2,
    tag: 'Service',
    summary: 'File of the console',
    description:
      'A script, style sheet or text of the console, by the name that its page contains.',
    parameters: ['asset', 'ifNoneMatch'],
    response: {
      status: 200,
      description: 'The file',
      headers: ['ETag', 'Cache-Control'],
      content: { mediaType: 'text/*' },
    },
    problems: ['not-found'],
  },
} as const satisfies OperationDefinitions;
