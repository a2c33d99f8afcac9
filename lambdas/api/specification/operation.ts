import type { ProblemSlug } from '../http/problem-types.ts';
import type { HeaderName } from './headers.ts';
import type { LinkName } from './links.ts';
import type { ParameterName } from './parameters.ts';
import type { SchemaName } from './schemas.ts';

/** One operation, as the published document tells it. GET addresses take HEAD too. */
export interface OperationSpecification {
  readonly operationId: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly tag: 'Batches' | 'Service';
  readonly summary: string;
  readonly description: string;
  /** Whether V1 answers 404 here and leaves the operation out of its document. */
  readonly onlyV2?: true;
  /** Whether it answers without a key. */
  readonly open?: true;
  readonly parameters: readonly ParameterName[];
  readonly body?: { readonly schema: SchemaName; readonly example: unknown };
  readonly answer: {
    readonly status: 200 | 202;
    readonly description: string;
    readonly headers: readonly HeaderName[];
    /** Where its members lead. */
    readonly links?: readonly LinkName[];
    readonly content:
      | { readonly schema: SchemaName; readonly example: unknown }
      | 'text/html'
      | 'openapi';
  };
  /** Beside those that every operation may answer with. */
  readonly problems: readonly ProblemSlug[];
}
