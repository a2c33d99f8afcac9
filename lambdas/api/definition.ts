import type * as z from 'zod/mini';
import type { Operation } from './http/handle.ts';
import type { ProblemSlug } from './http/problem-types.ts';
import type { HandlerFile, ServedBy } from './routes.ts';
import type { HeaderName } from './specification/documented-headers.ts';
import type { ParameterName } from './specification/documented-parameters.ts';
import type { LinkName } from './specification/links.ts';

/** An operation's description in the OpenAPI document, besides its route. */
export interface OperationDefinition {
  readonly operationId: string;
  readonly tag: 'Batches' | 'Service';
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ParameterName[];
  readonly body?: JsonContent & { readonly optional?: true };
  readonly response: {
    readonly status: 200 | 202 | 302;
    readonly description: string;
    readonly headers: readonly HeaderName[];
    /** The operations that a client may call next with fields of this response. */
    readonly links?: readonly LinkName[];
    readonly content:
      | JsonContent
      | OtherContent
      | readonly OtherContent[]
      | 'text/html'
      | 'openapi'
      | 'none';
  };
  /** The problems that this operation may respond with, besides those that `problemsOf` adds. */
  readonly problems: readonly ProblemSlug[];
}

export interface OtherContent {
  readonly mediaType: string;
  /** The content matches one of these named schemas. Without schemas, the document states only the media type. */
  readonly schemas?: readonly z.core.$ZodType[];
}

export interface JsonContent {
  /** A named schema; see `published.ts`. */
  readonly schema: z.core.$ZodType;
  readonly example: unknown;
}

export const HTML_PAGE: OperationDefinition['response'] = {
  status: 200,
  description: 'The page',
  headers: ['ETag', 'Cache-Control'],
  content: 'text/html',
};

export type DefinedOperation = readonly [OperationDefinition, (ports: never) => Operation];

export type OperationsOf<File extends HandlerFile> = Readonly<
  Record<ServedBy<File>, DefinedOperation>
>;

export type OperationList = Readonly<Record<string, DefinedOperation>>;

/** The ports that all operations of a list need together. */
export type OperationPorts<List extends OperationList> = {
  [Name in keyof List]: List[Name][1] extends (ports: infer Ports) => Operation
    ? (ports: Ports) => void
    : never;
}[keyof List] extends (ports: infer Ports) => void
  ? Ports
  : never;

export type Operations<List extends OperationList> = Readonly<Record<keyof List, Operation>>;

export function buildOperations<List extends OperationList>(
  list: List,
  ports: OperationPorts<List>,
  wrap = (operation: Operation) => operation,
): Operations<List> {
  const built = Object.entries(list).map(([name, [, build]]) => [
    name,
    wrap(build(ports as never)),
  ]);
  return Object.fromEntries(built) as Operations<List>;
}
