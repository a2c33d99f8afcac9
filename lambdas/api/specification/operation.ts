import type * as z from 'zod/mini';
import type { ProblemSlug } from '../http/problem-types.ts';
import type { HeaderName } from './headers.ts';
import type { LinkName } from './links.ts';
import type { ParameterName } from './parameters.ts';

/** An operation's part of the OpenAPI document, besides its entry in the operation table. */
export interface OperationSpecification {
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
