import { COMPLETION_WEBHOOK } from './completion-webhook.ts';
import type { Edition } from './edition.ts';
import { headersNamed } from './headers.ts';
import { linksNamed } from './links.ts';
import type { Content, OpenApiDocument, OperationObject, PathItem, Response } from './openapi.ts';
import type { OperationSpecification } from './operation.ts';
import { OPERATIONS } from './operations.ts';
import { PARAMETERS } from './parameters.ts';
import { problemResponses, problemsOf } from './problems.ts';
import { publishedSchemas, reference } from './schemas.ts';

const INTRODUCTION = `Post polygons and years; get one Cloud Optimized GeoTIFF per polygon.

A batch holds jobs; a job is one polygon in one year. Creating a batch answers at once. Poll its status, or give it a \`webhook_url\`. Results come as signed URLs that live 24 hours, made anew by each status request.

Send your API key as \`Authorization: Bearer <key>\`. Errors are \`application/problem+json\` (RFC 9457): \`type\` leads to a page that explains them, \`errors\` names each wrong member by JSON pointer. Times are UTC, to the millisecond. Absent values are \`null\`. Every GET address takes HEAD.`;

const KEY_SCHEME = 'apiKey';

/** The OpenAPI description of one deployment, from the schemas that judge its requests. */
export function openApiDocument(edition: Edition): OpenApiDocument {
  const { deployment, baseUrl, version } = edition;
  const operations = OPERATIONS.filter(({ onlyV2 }) => deployment === 'v2' || onlyV2 !== true);
  return {
    openapi: '3.1.1',
    info: {
      title: 'Batch soil prediction',
      version,
      summary: 'Soil maps for batches of polygons',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: deployment.toUpperCase() }],
    tags: [
      { name: 'Batches', description: 'Create batches and follow them' },
      { name: 'Service', description: 'What the deployment offers' },
    ],
    security: [{ [KEY_SCHEME]: [] }],
    paths: pathsOf(operations, baseUrl),
    webhooks: { 'batch.completed': { post: COMPLETION_WEBHOOK } },
    components: {
      schemas: schemasOf(deployment),
      securitySchemes: {
        [KEY_SCHEME]: { type: 'http', scheme: 'bearer', description: 'Your API key (RFC 6750)' },
      },
    },
  };
}

function pathsOf(
  operations: readonly OperationSpecification[],
  baseUrl: string,
): OpenApiDocument['paths'] {
  const paths: Record<string, PathItem> = {};
  for (const operation of operations) {
    const { path, method } = operation;
    paths[path] = { ...paths[path], [method]: operationObject(operation, operations, baseUrl) };
  }
  return paths;
}

function operationObject(
  operation: OperationSpecification,
  operations: readonly OperationSpecification[],
  baseUrl: string,
): OperationObject {
  const { operationId, tag, summary, description, open, body } = operation;
  const problems = problemsOf(operation);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: open === true ? [] : [{ [KEY_SCHEME]: [] }],
    parameters: operation.parameters.map((name) => PARAMETERS[name]),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            description: 'JSON in UTF-8, without a byte order mark.',
            content: {
              'application/json': { schema: reference(body.schema), example: body.example },
            },
          },
        }),
    responses: {
      [String(operation.answer.status)]: success(operation, operations),
      ...(operation.parameters.includes('ifNoneMatch')
        ? { '304': { description: 'What `If-None-Match` names still holds.' } }
        : {}),
      ...problemResponses(problems, baseUrl),
    },
    'x-problems': problems,
  };
}

function success(
  { answer }: OperationSpecification,
  operations: readonly OperationSpecification[],
): Response {
  const links = linksNamed(answer.links ?? [], operations);
  return {
    description: answer.description,
    headers: headersNamed('X-Request-Id', ...answer.headers),
    content: contentOf(answer.content),
    ...(Object.keys(links).length === 0 ? {} : { links }),
  };
}

function contentOf(
  content: OperationSpecification['answer']['content'],
): Readonly<Record<string, Content>> {
  if (content === 'text/html') return { 'text/html': { schema: { type: 'string' } } };
  if (content === 'openapi') return { 'application/json': { schema: { type: 'object' } } };
  return { 'application/json': { schema: reference(content.schema), example: content.example } };
}

/** V1 says nothing of what it has not. */
function schemasOf(deployment: Edition['deployment']): OpenApiDocument['components']['schemas'] {
  const { JobStatus, PatchBatch, ...both } = publishedSchemas();
  if (JobStatus === undefined || PatchBatch === undefined) throw new Error('V2 has two schemas');
  return deployment === 'v1' ? both : { ...both, JobStatus, PatchBatch };
}
