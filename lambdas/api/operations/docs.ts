import { HTML_PAGE, type OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { escapeHtml, htmlPage, renderInline } from '../http/html-page.ts';
import { noSuchPath } from '../http/not-found.ts';
import { isProblemSlug, PROBLEM_TYPES, type ProblemSlug } from '../http/problem-types.ts';
import { readQuery } from '../http/query.ts';
import type { ApiRequest } from '../http/request.ts';
import { type ApiResponse, revalidatedText } from '../http/response.ts';
import { PROBLEM_EXPLANATIONS } from '../specification/problem-explanations.ts';
import { API_TITLE, fillTemplate, type TemplateName } from '../specification/templates.ts';
import type { ServiceVersion } from './health.ts';

export const rootDefinition = {
  operationId: 'getRoot',
  tag: 'Service',
  summary: 'Root',
  description: 'Redirects to the [reference](#api-reference).',
  parameters: [],
  response: {
    status: 302,
    description: '`Location` is the URL of `/docs`',
    headers: ['Location', 'Cache-Control'],
    content: 'none',
  },
  problems: [],
} as const satisfies OperationDefinition;

export const openapiDefinition = {
  operationId: 'getOpenApi',
  tag: 'Service',
  summary: 'OpenAPI document',
  description: 'The OpenAPI 3.1 document, with the base URL of the request as its server.',
  parameters: ['ifNoneMatch'],
  response: {
    status: 200,
    description: 'The document',
    headers: ['ETag', 'Cache-Control'],
    content: 'openapi',
  },
  problems: [],
} as const satisfies OperationDefinition;

export const docsDefinition = {
  operationId: 'getDocs',
  tag: 'Service',
  summary: 'API reference',
  description: 'This reference as an HTML page.',
  parameters: ['ifNoneMatch'],
  response: HTML_PAGE,
  problems: [],
} as const satisfies OperationDefinition;

export const problemPageDefinition = {
  operationId: 'getProblemPage',
  tag: 'Service',
  summary: 'Problem page',
  description: 'The page behind the `type` of a problem: what it means and what to do.',
  parameters: ['slug', 'ifNoneMatch'],
  response: HTML_PAGE,
  problems: ['not-found'],
} as const satisfies OperationDefinition;

export interface DocumentPorts extends ServiceVersion {
  readonly readTemplate: (name: TemplateName) => Promise<string>;
}

/** Accepts and ignores any query parameters. */
export function rootOperation(): Operation {
  return async ({ baseUrl }) => ({
    status: 302,
    headers: { Location: `${baseUrl}/docs`, 'Cache-Control': 'no-store' },
    body: '',
  });
}

export function openApiOperation({ version, readTemplate }: DocumentPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    const { baseUrl, deployment } = request;
    const template = await readTemplate(`openapi-${deployment}.json`);
    const escapeForJson = (text: string) => JSON.stringify(text).slice(1, -1);
    const document = fillTemplate(template, { baseUrl, version }, escapeForJson);
    return revalidatedText(request, 'application/json', document, {
      'Cache-Control': 'public, max-age=300',
    });
  };
}

export function docsOperation({ version, readTemplate }: DocumentPorts): Operation {
  return async (request) => {
    const { baseUrl, deployment } = request;
    const template = await readTemplate(`reference-${deployment}.html`);
    return htmlPage(request, API_TITLE, fillTemplate(template, { baseUrl, version }, escapeHtml));
  };
}

export function problemPageOperation(): Operation {
  return async (request) => {
    const slug = request.pathParameter('slug');
    if (!isProblemSlug(slug)) throw noSuchPath(request);
    return problemPage(slug, request);
  };
}

function problemPage(slug: ProblemSlug, request: ApiRequest): ApiResponse {
  const { status, title } = PROBLEM_TYPES[slug];
  return htmlPage(
    request,
    title,
    `<h1>${renderInline(title)}</h1>
<p>HTTP status ${status}, problem <code>${slug}</code></p>
<p>${renderInline(PROBLEM_EXPLANATIONS[slug])}</p>
<p><a href="../../docs">API reference</a></p>`,
  );
}
