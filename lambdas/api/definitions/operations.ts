import { BATCH_OPERATIONS } from './batches.ts';
import { CONSOLE_OPERATIONS } from './console.ts';
import type { OperationDefinition } from './definition.ts';
import { JOB_OPERATIONS } from './jobs.ts';
import { OPEN_OPERATIONS } from './open.ts';
import { TENANT_OPERATIONS } from './tenant.ts';
import { WEBHOOK_OPERATIONS } from './webhooks.ts';

const DEFINITIONS = {
  ...BATCH_OPERATIONS,
  ...JOB_OPERATIONS,
  ...WEBHOOK_OPERATIONS,
  ...TENANT_OPERATIONS,
  ...OPEN_OPERATIONS,
  ...CONSOLE_OPERATIONS,
} as const;

type Definitions = typeof DEFINITIONS;

export type OperationName = keyof Definitions;

/** A file in `lambdas/api/functions/` that serves operations. */
export type HandlerFile = Definitions[OperationName]['handler'];

/** The names of the operations that one function serves. */
export type ServedBy<File extends HandlerFile> = {
  [Name in OperationName]: Definitions[Name]['handler'] extends File ? Name : never;
}[OperationName];

export interface PublishedOperation extends OperationDefinition {
  readonly name: OperationName;
  readonly handler: HandlerFile;
}

/**
 * Every operation of the API, in the order of its OpenAPI document.
 */
export const OPERATIONS: readonly PublishedOperation[] = Object.entries(DEFINITIONS).map(
  ([name, definition]) => ({ name: name as OperationName, ...definition }),
);

export function operationNamed(name: OperationName): PublishedOperation {
  return { name, ...DEFINITIONS[name] };
}
