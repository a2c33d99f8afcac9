import { PROBLEM_EXPLANATIONS } from '../../problems/problem-explanations.ts';
import { PROBLEM_TYPES, type ProblemSlug } from '../../problems/problem-types.ts';
import type { OpenApiDocument, OperationObject, Parameter, Response, Schema } from '../openapi.ts';
import { anchorOf, type Block } from './blocks.ts';
import { CODE_TABLES } from './job-codes.ts';
import { typeOf } from './schema-text.ts';
import { typeSections } from './type-sections.ts';
import { WEBHOOK_VERIFICATION } from './webhook-verification.ts';

/** The complete OpenAPI document, rendered for people. */
export function referenceOf(document: OpenApiDocument): readonly Block[] {
  const { info, servers, paths, webhooks } = document;
  const base = servers[0]?.url ?? '';
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const types = typeSections(document);
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
      ...bodyTypes(operation),
      ...parametersOf(operation.parameters),
      { kind: 'code', language: 'bash', text: curlOf(base, method, path, operation) } as const,
      ...responsesOf(operation),
      ...types.of(operation),
    ]),
    ...Object.values(webhooks).flatMap(({ post }) =>
      post === undefined ? [] : [...headOf(post), ...webhookOf(post), ...types.of(post)],
    ),
    ...WEBHOOK_VERIFICATION,
    { kind: 'heading', level: 2, text: 'Error codes' },
    {
      kind: 'text',
      text: 'Why a job failed, and what to know of one that runs. A job that failed with a retryable code may succeed if sent again.',
    },
    ...types.named(Object.keys(CODE_TABLES)),
    { kind: 'heading', level: 2, text: 'Response headers' },
    headersOf(operations.map(({ operation }) => operation)),
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
    ...types.named(['Problem']),
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

/** Links to the types of the bodies; each type links back. */
function bodyTypes({ requestBody, responses }: OperationObject): readonly Block[] {
  const request = requestBody?.content['application/json']?.schema;
  const response = Object.values(responses)
    .map(({ content }) => content?.['application/json']?.schema)
    .find((schema) => schema?.$ref !== undefined);
  const links = [
    ...(request === undefined ? [] : [`Request: ${typeOf(request)}`]),
    ...(response === undefined ? [] : [`Response: ${typeOf(response)}`]),
  ];
  return links.length === 0 ? [] : [{ kind: 'text', text: links.join(' · ') }];
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
      : ["-H 'Content-Type: application/json'", `--data-binary '${readable(body)}'`]),
  ];
  return lines.join(' \\\n  ');
}

function responsesOf(operation: OperationObject): readonly Block[] {
  const responses = Object.entries(operation.responses);
  const isProblem = ([status]: readonly [string, unknown]) => Number(status) >= 400;
  return [
    responseTable(responses.filter((response) => !isProblem(response))),
    { ...responseTable(responses.filter(isProblem)), summary: 'Problems' },
    ...responses.flatMap(([, { content }]) => shown(content?.['application/json'])),
  ];
}

function responseTable(responses: readonly (readonly [string, Response])[]) {
  return {
    kind: 'table',
    head: ['status', 'meaning', 'headers'],
    rows: responses.map(([status, { description, headers = {} }]) => [
      status,
      description,
      Object.keys(headers)
        .map((name) => `\`${name}\``)
        .join(', '),
    ]),
  } as const;
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
  return [{ kind: 'code', language: 'json', text: readable(content.example), summary: 'Example' }];
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
    ...bodyTypes(operation),
    { kind: 'text', text: `See ${linkTo('Verify a webhook')} and ${linkTo('Error codes')}.` },
    ...shown(operation.requestBody?.content['application/json']),
  ];
}
