import { type HandlerFile, OPERATION_ENTRIES, type ServedBy } from '../operations/table.ts';
import type { Handler } from './handle.ts';
import { operationAt } from './routes.ts';

/**
 * One handler for all operations of a function. It routes each request by resource and method.
 * @param fallback serves requests that match no operation; without it such a request is an error in the
 *   configuration of the gateway
 */
export function handleEach<File extends HandlerFile>(
  file: File,
  handlerOf: (name: ServedBy<File>) => Handler,
  fallback?: Handler,
): Handler {
  const handlers = new Map<string, Handler>(
    namesServedBy(file).map((name) => [name, handlerOf(name)]),
  );
  return (event) => {
    const name = operationAt(event.resource, event.httpMethod);
    const handler = (name === null ? undefined : handlers.get(name)) ?? fallback;
    if (handler === undefined) {
      throw new Error(`${file} has no operation ${event.httpMethod} ${event.resource}`);
    }
    return handler(event);
  };
}

function namesServedBy<File extends HandlerFile>(file: File): readonly ServedBy<File>[] {
  const isServed = (name: string): name is ServedBy<File> => SERVING.get(name) === file;
  return [...SERVING.keys()].filter(isServed);
}

const SERVING: ReadonlyMap<string, HandlerFile> = new Map(
  OPERATION_ENTRIES.map(([name, { handler }]) => [name, handler]),
);
