import type { Operation } from '../../http/handle.ts';
import { noSuchPath } from '../../http/not-found.ts';
import { htmlPage, inline } from '../../http/page.ts';
import { PROBLEM_EXPLANATIONS } from '../../http/problem-explanations.ts';
import { isProblemSlug, PROBLEM_TYPES, type ProblemSlug } from '../../http/problem-types.ts';
import type { ApiRequest } from '../../http/request.ts';
import type { ApiResponse } from '../../http/response.ts';
import { HTML_PAGE } from '../../specification/html-page.ts';
import type { OperationSpecification } from '../../specification/operation.ts';

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

export const problemPageSpecification: OperationSpecification = {
  tag: 'Service',
  summary: 'Problem page',
  description: 'The page behind the `type` of a problem: what it means and what to do.',
  parameters: ['slug', 'ifNoneMatch'],
  response: HTML_PAGE,
  problems: ['not-found'],
};
