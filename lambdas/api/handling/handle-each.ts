import type { OperationDefinition, OperationDefinitions } from '../definitions/definition.ts';
import type { HandlerFile, ServedBy } from '../definitions/operations.ts';
import type { Handler } from './handle.ts';
import { operationAt } from './routes.ts';

/** The definitions of a function's operations, by name; it may hold others. */
export type DefinitionsOf<File extends HandlerFile> = OperationDefinitions &
  Readonly<Record<ServedBy<File>, OperationDefinition>>;

export interface Served<Name extends string> extends OperationDefinition {
  readonly name: Name;
}

/**
 * One handler for all operations of a function. It routes each request by resource and method.
 * @param fallback serves requests that match no operation; without it such a request is an error in the
 *   configuration of the gateway
 */
export function handleEach<File extends HandlerFile>(
  file: File,
  definitions: DefinitionsOf<File>,
  handlerOf: (operation: Served<ServedBy<File>>) => Handler,
  fallback?: Handler,
): Handler {
  const served = servedBy(file, definitions).map((operation) => ({
    ...operation,
    handle: handlerOf(operation),
  }));
  return (event) => {
    const found = operationAt(served, event.resource, event.httpMethod);
    const handler = found?.handle ?? fallback;
    if (handler === undefined) {
      throw new Error(`${file} has no operation ${event.httpMethod} ${event.resource}`);
    }
    return handler(event);
  };
}

function servedBy<File extends HandlerFile>(
  file: File,
  definitions: DefinitionsOf<File>,
): readonly Served<ServedBy<File>>[] {
  return Object.entries<OperationDefinition>(definitions)
    .filter(([, { handler }]) => handler === file)
    .map(([name, definition]) => ({ name: name as ServedBy<File>, ...definition }));
}
