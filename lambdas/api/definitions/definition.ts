import type * as z from 'zod/mini';
import type { ProblemSlug } from '../problems/problem-types.ts';
import type { HeaderName } from '../specification/documented-headers.ts';
import type { ParameterName } from '../specification/documented-parameters.ts';
import type { LinkName } from '../specification/links.ts';

/** A deployment of the API. */
export type Deployment = 'v1' | 'v2';

export const BOTH = ['v1', 'v2'] as const;
export const ONLY_V2 = ['v2'] as const;

/** What routing needs to know of an operation. */
export interface Route {
  /** GET operations serve HEAD too (RFC 9110, section 9.3.2). */
  readonly method: 'GET' | 'POST';
  readonly path: `/${string}`;
  /** The deployments that have it; on others its path responds with 404 and the URL on V2. */
  readonly deployments: readonly Deployment[];
}

/**
 * An operation of the API. Routes, functions, `Allow` headers, V1's 404 responses, the OpenAPI document
 * and the client's types are derived from it. It imports no handler: infrastructure reads it, too.
 */
export interface OperationDefinition extends Route {
  /** Its name for client generators. */
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

/** By the name that operations have in logs and code. */
export type OperationDefinitions = Readonly<Record<string, OperationDefinition>>;

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
