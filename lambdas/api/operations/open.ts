import type { HealthResponse } from '../definitions/open.ts';
import type { Builders } from '../handling/built-with.ts';
import type { Operation } from '../handling/handle.ts';
import { noSuchPath } from '../problems/not-found.ts';
import { PROBLEM_EXPLANATIONS } from '../problems/problem-explanations.ts';
import { isProblemSlug, PROBLEM_TYPES, type ProblemSlug } from '../problems/problem-types.ts';
import { readQuery } from '../requests/query.ts';
import type { ApiRequest } from '../requests/request.ts';
import { htmlPage, inline } from '../responses/page.ts';
import { type ApiResponse, revalidated, uncached } from '../responses/response.ts';
import {
  type DeploymentInfo,
  deploymentInfoOf,
  type ServiceVersion,
} from '../specification/deployment-info.ts';
import type { OpenApiDocument } from '../specification/openapi.ts';
import { referenceOf } from '../specification/reference/reference.ts';
import { referencePage } from '../specification/reference/reference-page.ts';

/** Health, the documents and the pages of problems. */
export const OPEN = {
  root: rootOperation,
  health: healthOperation,
  openapi: openApiOperation,
  docs: docsOperation,
  'problem-page': problemPageOperation,
} as const satisfies Builders;

export interface OpenPorts extends ServiceVersion {
  /** Passed in, because the document describes these operations too. */
  readonly document: (info: DeploymentInfo) => OpenApiDocument;
}

/** Ignores query parameters, as the reference does. */
export function rootOperation(): Operation {
  return async ({ baseUrl }) => ({
    status: 302,
    headers: { Location: `${baseUrl}/docs`, 'Cache-Control': 'no-store' },
    body: '',
  });
}

export function healthOperation({ version }: ServiceVersion): Operation {
  return async (request) => {
    readQuery(request, []);
    const body: HealthResponse = { status: 'ok', version, deployment: request.deployment };
    return uncached(200, body);
  };
}

export function openApiOperation({ version, document }: OpenPorts): Operation {
  return async (request) => {
    readQuery(request, []);
    return revalidated(request, document(deploymentInfoOf(request, version)), {
      'Cache-Control': 'public, max-age=300',
    });
  };
}

export function docsOperation({ version, document }: OpenPorts): Operation {
  return async (request) => {
    const described = document(deploymentInfoOf(request, version));
    return htmlPage(request, described.info.title, referencePage(referenceOf(described)));
  };
}

export function problemPageOperation(): Operation {
  return async (request) => {
    const slug = request.pathParameter('slug');
    if (!isProblemSlug(slug)) throw noSuchPath(request);
    return problemPage(slug, request);
  };
}

/** The page behind the `type` of a problem, without external resources. */
function problemPage(slug: ProblemSlug, request: ApiRequest): ApiResponse {
  const { status, title } = PROBLEM_TYPES[slug];
  return htmlPage(
    request,
    title,
    `<h1>${inline(title)}</h1>
<p>HTTP status ${status}, problem <code>${slug}</code></p>
<p>${inline(PROBLEM_EXPLANATIONS[slug])}</p>
<p><a href="../../docs">API reference</a></p>`,
  );
}
