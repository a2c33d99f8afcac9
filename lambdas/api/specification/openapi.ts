import type { ProblemSlug } from '../http/problem-types.ts';
import type { Deployment } from '../http/request.ts';

export interface DeploymentInfo {
  readonly deployment: Deployment;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly version: string;
}

// The types below are the part of OpenAPI 3.1 (https://spec.openapis.org/oas/v3.1.1) that this API's document uses.

/** A JSON Schema (draft 2020-12). */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly additionalProperties?: Schema | boolean;
}

export interface Header {
  readonly description: string;
  readonly required?: true;
  readonly schema: Schema;
}

export interface Parameter extends Header {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
}

export interface Content {
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Link {
  readonly operationId: string;
  /** Runtime expressions over the response, by the name of the parameter. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly description: string;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, Content>>;
  readonly links?: Readonly<Record<string, Link>>;
}

export interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly description: string;
    readonly content: Readonly<Record<string, Content>>;
  };
  readonly responses: Readonly<Record<string, Response>>;
  /** Each problem has a page under `/docs/problems/`. */
  readonly 'x-problems'?: readonly ProblemSlug[];
}

export type PathItem = Readonly<Partial<Record<'get' | 'post', OperationObject>>>;

export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, object>>;
  };
}
