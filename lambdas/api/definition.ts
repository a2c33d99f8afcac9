import type * as z from 'zod/mini';
import type { ProblemSlug } from './http/problem-types.ts';
import type { Route } from './http/routes.ts';
import type { HeaderName } from './specification/documented-headers.ts';
import type { ParameterName } from './specification/documented-parameters.ts';
import type { LinkName } from './specification/links.ts';

export const BOTH = ['v1', 'v2'] as const;
export const ONLY_V2 = ['v2'] as const;

/**
 * An operation of the API. Routes, functions, `Allow` headers, V1's 404 responses, the OpenAPI document
 * and the client's types are derived from it.
 */
export interface OperationDefinition extends Route {
  readonly operationId: string;
  /** The Lambda function that serves it: the name of its file in `lambdas/api/functions/`. */
  readonly handler: string;
  readonly auth: 'key' | 'none';
  readonly tag: 'Batches' | 'Service';
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly ParameterName[];
  readonly body?: JsonContent & { readonly optional?: true };
  readonly response: {
    readonly status: 200 | 202 | 302;
    readonly description: string;
    readonly headers: readonly HeaderName[];
    /** The operations that a client calls next with fields of this response. */
    readonly links?: readonly LinkName[];
    readonly content:
      | JsonContent
      | OtherContent
      | readonly OtherContent[]
      | 'text/html'
      | 'openapi'
      | 'none';
  };
  /** Besides those that every operation may respond with. */
  readonly problems: readonly ProblemSlug[];
}

/** Content of another media type. */
export interface OtherContent {
  readonly mediaType: string;
  /** Named; the content has one of them. Without them the document does not describe it further. */
  readonly schemas?: readonly z.core.$ZodType[];
}

export interface JsonContent {
  /** A named schema; see `published.ts`. */
  readonly schema: z.core.$ZodType;
  readonly example: unknown;
}

/** The response of an operation that people open in a browser. */
export const HTML_PAGE: OperationDefinition['response'] = {
  status: 200,
  description: 'The page',
  headers: ['ETag', 'Cache-Control'],
  content: 'text/html',
};
