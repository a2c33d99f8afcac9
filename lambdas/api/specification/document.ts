import type { OperationDefinition, OtherContent } from '../definition.ts';
import { OPERATIONS, type PublishedOperation } from '../operations.ts';
import { needsKey } from '../routes.ts';
import { completionWebhook } from './completion-webhook.ts';
import { headersNamed } from './documented-headers.ts';
import { PARAMETERS } from './documented-parameters.ts';
import { problemResponses, problemsOf } from './documented-problems.ts';
import { linksNamed } from './links.ts';
import type {
  Content,
  DeploymentInfo,
  OpenApiDocument,
  OperationObject,
  PathItem,
  Response,
  Schema,
} from './openapi.ts';
import { publishedSchemas, referenceTo } from './schemas.ts';
import { API_TITLE } from './templates.ts';

const INTRODUCTION = `Send polygons and years; get one Cloud Optimized GeoTIFF per polygon and year.

A batch holds jobs; a job is one polygon in one year. The request that creates a batch returns immediately. Poll the batch status, or send a \`webhook_url\`. Results are signed URLs, valid for 24 hours; each status request signs new ones.

Send your API key as \`Authorization: Bearer <key>\`. Errors are \`application/problem+json\` (RFC 9457): \`type\` is the URL of a page that explains the error, and \`errors\` names each invalid field by JSON pointer. Times are UTC, to the millisecond. A field without a value is \`null\`, such as \`completed_at\` or \`next_cursor\`; only fields that are marked optional (not \`required\` in OpenAPI) can be absent. An empty query parameter counts as absent. Responses are JSON, unless an operation says otherwise; the request header \`Accept\` is ignored. Every GET operation also accepts HEAD.`;

const KEY_SCHEME = 'apiKey';

export function openApiDocument(deploymentInfo: DeploymentInfo): OpenApiDocument {
  const { deployment, baseUrl, version } = deploymentInfo;
  const operations = OPERATIONS.filter(({ deployments }) => deployments.includes(deployment));
  const paths = pathsOf(operations, baseUrl);
  const webhooks = { 'batch.completed': { post: completionWebhook() } };
  return {
    openapi: '3.1.1',
    info: {
      title: API_TITLE,
      version,
      summary: 'Soil maps for batches of polygons',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: baseUrl, description: deployment.toUpperCase() }],
    tags: [
      { name: 'Batches', description: 'Create and track batches' },
      { name: 'Service', description: 'Models, limits, usage and documentation of the service' },
    ],
    security: [{ [KEY_SCHEME]: [] }],
    paths,
    webhooks,
    components: {
      schemas: schemasUsedBy({ paths, webhooks }),
      securitySchemes: {
        [KEY_SCHEME]: { type: 'http', scheme: 'bearer', description: 'Your API key (RFC 6750)' },
      },
    },
  };
}

function pathsOf(
  operations: readonly PublishedOperation[],
  baseUrl: string,
): OpenApiDocument['paths'] {
  const paths: Record<string, PathItem> = {};
  for (const operation of operations) {
    const { path } = operation;
    const method = operation.method === 'GET' ? 'get' : 'post';
    paths[path] = { ...paths[path], [method]: operationObject(operation, operations, baseUrl) };
  }
  return paths;
}

function operationObject(
  operation: PublishedOperation,
  operations: readonly PublishedOperation[],
  baseUrl: string,
): OperationObject {
  const { operationId, tag, summary, description, body } = operation;
  const problems = problemsOf(operation);
  return {
    operationId,
    tags: [tag],
    summary,
    description,
    security: needsKey(operation) ? [{ [KEY_SCHEME]: [] }] : [],
    parameters: operation.parameters.map((name) => PARAMETERS[name]),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.optional !== true,
            description: 'JSON in UTF-8, without a byte order mark.',
            content: {
              'application/json': { schema: referenceTo(body.schema), example: body.example },
            },
          },
        }),
    responses: {
      [String(operation.response.status)]: successResponse(operation, operations),
      ...(operation.parameters.includes('ifNoneMatch')
        ? {
            '304': { description: 'Not modified' },
          }
        : {}),
      ...problemResponses(problems, baseUrl),
    },
    'x-problems': problems,
  };
}

function successResponse(
  { response }: PublishedOperation,
  operations: readonly PublishedOperation[],
): Response {
  const links = linksNamed(response.links ?? [], operations);
  return {
    description: response.description,
    headers: headersNamed('X-Request-Id', ...response.headers),
    ...(response.content === 'none' ? {} : { content: contentOf(response.content) }),
    ...(Object.keys(links).length === 0 ? {} : { links }),
  };
}

function contentOf(
  content: Exclude<OperationDefinition['response']['content'], 'none'>,
): Readonly<Record<string, Content>> {
  if (content === 'text/html') return { 'text/html': { schema: { type: 'string' } } };
  if (content === 'openapi') return { 'application/json': { schema: { type: 'object' } } };
  if ('length' in content) return Object.assign({}, ...content.map(contentOf));
  if ('mediaType' in content) return { [content.mediaType]: { schema: otherSchema(content) } };
  return { 'application/json': { schema: referenceTo(content.schema), example: content.example } };
}

function otherSchema({ mediaType, schemas }: OtherContent): Schema {
  const [first, ...others] = (schemas ?? []).map(referenceTo);
  if (first !== undefined) return others.length === 0 ? first : { anyOf: [first, ...others] };
  return { type: mediaType.endsWith('json') ? 'object' : 'string' };
}

/** Includes schemas that are only referenced by other schemas. */
function schemasUsedBy(
  document: Pick<OpenApiDocument, 'paths' | 'webhooks'>,
): OpenApiDocument['components']['schemas'] {
  const schemas = publishedSchemas();
  const used = new Set<string>();
  const queue: unknown[] = [document];
  for (let part = queue.pop(); part !== undefined; part = queue.pop()) {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (used.has(name)) continue;
      used.add(name);
      queue.push(schemas[name]);
    }
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}
