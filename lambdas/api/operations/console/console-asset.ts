import { readQuery } from '../../contract/query.ts';
import type { Operation } from '../../http/handle.ts';
import { noSuchPath } from '../../http/not-found.ts';
import { revalidatedText } from '../../http/response.ts';
import type { OperationSpecification } from '../../specification/operation.ts';
import type { ConsolePorts } from './console-ports.ts';

const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

export function consoleAssetOperation({ files }: ConsolePorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const name = request.pathParameter('asset');
    const text = await files.read(name);
    const type = TYPES[name.split('.').at(-1) ?? ''];
    if (text === undefined || type === undefined) throw noSuchPath(request);
    return revalidatedText(request, type, text, {
      // A name contains a hash of its content, so the content never changes.
      'Cache-Control': 'public, max-age=31536000, immutable',
    });
  };
}

export const consoleAssetSpecification: OperationSpecification = {
  tag: 'Service',
  summary: 'File of the console',
  description: 'A script or style sheet of the console, by the name that its page contains.',
  parameters: ['asset', 'ifNoneMatch'],
  response: {
    status: 200,
    description: 'The file',
    headers: ['ETag', 'Cache-Control'],
    content: { mediaType: 'text/*' },
  },
  problems: ['not-found'],
};
