import { PROBLEM_TYPES, type ProblemSlug } from '../../http/problem-types.ts';
import type { OpenApiDocument, OperationObject, Parameter, Response, Schema } from '../openapi.ts';
import { PROBLEM_EXPLANATIONS } from '../problem-explanations.ts';
import { CODE_TABLES } from './job-codes.ts';
import { codeBlock, foldedBlock, linkTo, markdownTable } from './markdown.ts';
import { typeOf } from './schema-text.ts';
import { typeSections } from './type-sections.ts';
import { WEBHOOK_VERIFICATION } from './webhook-verification.ts';

/** @param note a paragraph below the title */
export function writeReference(document: OpenApiDocument, note?: string): string {
  const { info, servers, paths, webhooks } = document;
  const base = servers[0]?.url ?? '';
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
  const types = typeSections(document);
  const blocks = [
    `# ${info.title}: API reference`,
    ...(note === undefined ? [] : [note]),
    info.description,
    markdownTable(
      ['operation', 'method and path'],
      operations.map(({ method, path, operation }) => [
        linkTo(operation.summary),
        `\`${method.toUpperCase()} ${path}\``,
      ]),
    ),
    ...operations.flatMap(({ method, path, operation }) => [
      `## ${operation.summary}`,
      codeBlock('http', `${method.toUpperCase()} ${path}`),
      operation.description,
      ...bodyTypes(operation),
      ...parametersOf(operation.parameters),
      codeBlock('bash', curlOf(base, method, path, operation)),
      ...responsesOf(operation),
      ...types.of(operation),
    ]),
    ...Object.values(webhooks).flatMap(({ post }) =>
      post === undefined ? [] : [`## ${post.summary}`, ...webhookOf(post), ...types.of(post)],
    ),
    ...WEBHOOK_VERIFICATION,
    '## Error codes',
    'An error code says why a job failed. A warning code says what to be aware of, and does not fail the job. A job that failed with a retryable code may succeed if sent again.',
    ...types.named(Object.keys(CODE_TABLES)),
    '## Response headers',
    headersOf(operations.map(({ operation }) => operation)),
    '## Problems',
    'A problem is named by the last part of its `type`.',
    markdownTable(
      ['problem', 'status', 'meaning'],
      (Object.keys(PROBLEM_TYPES) as ProblemSlug[]).map((slug) => [
        `\`${slug}\``,
        String(PROBLEM_TYPES[slug].status),
        `${PROBLEM_TYPES[slug].title}. ${PROBLEM_EXPLANATIONS[slug]}`,
      ]),
    ),
    ...types.named(['Problem']),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function bodyTypes({ requestBody, responses }: OperationObject): readonly string[] {
  const request = requestBody?.content['application/json']?.schema;
  const response = Object.values(responses)
    .map(({ content }) => content?.['application/json']?.schema)
    .find((schema) => schema?.$ref !== undefined);
  const links = [
    ...(request === undefined ? [] : [`Request: ${typeOf(request)}`]),
    ...(response === undefined ? [] : [`Response: ${typeOf(response)}`]),
  ];
  return links.length === 0 ? [] : [links.join(' · ')];
}

function parametersOf(parameters: readonly Parameter[]): readonly string[] {
  if (parameters.length === 0) return [];
  const rows = parameters.map(({ name, in: location, required, schema, description }) => [
    `\`${name}\``,
    required === true ? `${location}, required` : location,
    schema.default === undefined
      ? typeOf(schema)
      : `${typeOf(schema)}; default \`${schema.default}\``,
    description,
  ]);
  return [markdownTable(['parameter', 'in', 'type', 'meaning'], rows)];
}

/** The command works once its variables are set. */
function curlOf(base: string, method: string, path: string, operation: OperationObject): string {
  const body = operation.requestBody?.content['application/json']?.example;
  const lines = [
    // Double quotes let the shell expand variables; there are no braces, because curl would expand them.
    `curl -sS${method === 'post' ? ' -X POST' : ''} "${base}${path.replace(/\{(\w+)\}/g, (_, name) => `$${String(name).toUpperCase()}`)}"`,
    ...(operation.security.length === 0 ? [] : ['-H "Authorization: Bearer $API_KEY"']),
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `--data-binary '${formatJson(body)}'`]),
  ];
  return lines.join(' \\\n  ');
}

function responsesOf(operation: OperationObject): readonly string[] {
  const responses = Object.entries(operation.responses);
  const isProblem = ([status]: readonly [string, unknown]) => Number(status) >= 400;
  return [
    responseTable(responses.filter((response) => !isProblem(response))),
    foldedBlock('Problems', responseTable(responses.filter(isProblem))),
    ...responses.flatMap(([, { content }]) => showExample(content?.['application/json'])),
  ];
}

function responseTable(responses: readonly (readonly [string, Response])[]): string {
  return markdownTable(
    ['status', 'meaning', 'headers'],
    responses.map(([status, { description, headers = {} }]) => [
      status,
      description,
      Object.keys(headers)
        .map((name) => `\`${name}\``)
        .join(', '),
    ]),
  );
}

/** Lists each header once, in the order of the responses. */
function headersOf(operations: readonly OperationObject[]): string {
  const headers = operations
    .flatMap(({ responses }) => Object.values(responses))
    .flatMap((response) => Object.entries(response.headers ?? {}));
  return markdownTable(
    ['header', 'type', 'meaning'],
    [...new Map(headers)].map(([name, { schema, description }]) => [
      `\`${name}\``,
      typeOf(schema),
      description,
    ]),
  );
}

function showExample(
  content: { readonly schema: Schema; readonly example?: unknown } | undefined,
): readonly string[] {
  if (content?.example === undefined) return [];
  return [foldedBlock('Example', codeBlock('json', formatJson(content.example)))];
}

/** Keeps arrays of numbers on one line. */
function formatJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(/\[[-\d.,\s]+\]/g, (numbers) =>
    numbers.replace(/\s+/g, '').replaceAll(',', ', '),
  );
}

function webhookOf(operation: OperationObject): readonly string[] {
  return [
    operation.description,
    ...parametersOf(operation.parameters),
    markdownTable(
      ['your response', 'meaning'],
      Object.entries(operation.responses).map(([status, { description }]) => [status, description]),
    ),
    ...bodyTypes(operation),
    `See ${linkTo('Verify a webhook')} and ${linkTo('Error codes')}.`,
    ...showExample(operation.requestBody?.content['application/json']),
  ];
}
