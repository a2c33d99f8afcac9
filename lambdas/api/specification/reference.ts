import { PROBLEM_EXPLANATIONS } from '../http/problem-explanations.ts';
import { PROBLEM_TYPES, type ProblemSlug } from '../http/problem-types.ts';
import { anchorOf, type Block } from './blocks.ts';
import type { OpenApiDocument, OperationObject, Parameter, Schema } from './openapi.ts';
import { fieldRows, typeHeading, typeOf } from './schema-text.ts';

/** The complete OpenAPI document, rendered for people. */
export function referenceOf(document: OpenApiDocument): readonly Block[] {
  const { info, servers, paths, webhooks, components } = document;
  const base = servers[0]?.url ?? '';
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  return [
    { kind: 'heading', level: 1, text: `${info.title}: API reference` },
    ...paragraphs(info.description),
    {
      kind: 'table',
      head: ['operation', 'method and path'],
      rows: operations.map(({ method, path, operation }) => [
        linkTo(operation.summary),
        `\`${method.toUpperCase()} ${path}\``,
      ]),
    },
    ...operations.flatMap(({ method, path, operation }) => [
      ...headOf(operation),
      { kind: 'code', language: 'http', text: `${method.toUpperCase()} ${path}` } as const,
      ...paragraphs(operation.description),
      ...parametersOf(operation.parameters),
      { kind: 'code', language: 'bash', text: curlOf(base, method, path, operation) } as const,
      ...responsesOf(operation),
    ]),
    ...Object.values(webhooks).flatMap(({ post }) =>
      post === undefined ? [] : [...headOf(post), ...webhookOf(post)],
    ),
    { kind: 'heading', level: 2, text: 'Response headers' },
    headersOf(operations.map(({ operation }) => operation)),
    { kind: 'heading', level: 2, text: 'Types' },
    ...Object.entries(components.schemas).flatMap(([name, schema]) => namedType(name, schema)),
    { kind: 'heading', level: 2, text: 'Problems' },
    { kind: 'text', text: 'The last part of `type`, the HTTP status, and what to do.' },
    {
      kind: 'table',
      head: ['problem', 'status', 'meaning'],
      rows: (Object.keys(PROBLEM_TYPES) as ProblemSlug[]).map((slug) => [
        `\`${slug}\``,
        String(PROBLEM_TYPES[slug].status),
        `${PROBLEM_TYPES[slug].title}. ${PROBLEM_EXPLANATIONS[slug]}`,
      ]),
    },
  ];
}

function paragraphs(text: string): readonly Block[] {
  return text.split('\n\n').map((paragraph) => ({ kind: 'text', text: paragraph }));
}

function linkTo(heading: string): string {
  return `[${heading}](#${anchorOf(heading)})`;
}

function headOf({ summary }: OperationObject): readonly Block[] {
  return [{ kind: 'heading', level: 2, text: summary }];
}

function parametersOf(parameters: readonly Parameter[]): readonly Block[] {
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: location, required, schema, description }) => [
    `\`${name}\``,
    required === true ? `${location}, required` : location,
    schema.default === undefined
      ? typeOf(schema)
      : `${typeOf(schema)}; default \`${schema.default}\``,
    description,
  ]);
  return [{ kind: 'table', head: ['parameter', 'in', 'type', 'meaning'], rows }];
}

/** A command that works once the variables are set. */
function curlOf(base: string, method: string, path: string, operation: OperationObject): string {
  const body = operation.requestBody?.content['application/json']?.example;
  const lines = [
    // Double quotes, so that the shell expands variables; no braces, which curl would expand.
    `curl -sS${method === 'post' ? ' -X POST' : ''} "${base}${path.replace(/\{(\w+)\}/g, (_, name) => `$${String(name).toUpperCase()}`)}"`,
    ...(operation.security.length === 0 ? [] : ['-H "Authorization: Bearer $API_KEY"']),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `--data-binary '${JSON.stringify(body)}'`]),
  ];
  return lines.join(' \\\n  ');
}

function responsesOf(operation: OperationObject): readonly Block[] {
  const rows = Object.entries(operation.responses).map(([status, { description, headers }]) => [
    status,
    description,
    Object.keys(headers ?? {})
      .map((name) => `\`${name}\``)
      .join(', '),
  ]);
  return [
    { kind: 'table', head: ['status', 'meaning', 'headers'], rows },
    ...Object.values(operation.responses).flatMap(({ content }) =>
      shown(content?.['application/json']),
    ),
  ];
}

/** Each header once, in the order of the responses. */
function headersOf(operations: readonly OperationObject[]): Block {
  const headers = operations
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap((response) => Object.entries(response.headers ?? {}));
  return {
    kind: 'table',
    head: ['header', 'type', 'meaning'],
    rows: [...new Map(headers)].map(([name, { schema, description }]) => [
      `\`${name}\``,
      typeOf(schema),
      description,
    ]),
  };
}

function shown(
  content: { readonly schema: Schema; readonly example?: unknown } | undefined,
): readonly Block[] {
  if (content?.example === undefined) return [];
  return [
    { kind: 'text', text: `${typeOf(content.schema)}:` },
    { kind: 'code', language: 'json', text: readable(content.example) },
  ];
}

/** Indented JSON, with arrays of numbers on one line. */
function readable(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/\[[-\d.,\s]+\]/g, (numbers) =>
    numbers.replace(/\s+/g, '').replaceAll(',', ', '),
  );
}

function webhookOf(operation: OperationObject): readonly Block[] {
  return [
    ...paragraphs(operation.description),
    ...parametersOf(operation.parameters),
    {
      kind: 'table',
      head: ['your response', 'meaning'],
      rows: Object.entries(operation.responses).map(([status, { description }]) => [
        status,
        description,
      ]),
    },
    ...shown(operation.requestBody?.content['application/json']),
  ];
}

function namedType(name: string, schema: Schema): readonly Block[] {
  return [
    { kind: 'heading', level: 3, text: typeHeading(name) },
    ...(schema.description === undefined ? [] : paragraphs(schema.description)),
    schema.enum === undefined
      ? { kind: 'table', head: ['field', 'type', 'meaning'], rows: fieldRows(schema) }
      : { kind: 'text', text: typeOf(schema) },
  ];
}
