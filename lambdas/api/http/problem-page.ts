import { htmlPage, inline } from './page.ts';
import { PROBLEM_EXPLANATIONS } from './problem-explanations.ts';
import { PROBLEM_TYPES, type ProblemSlug } from './problem-types.ts';
import type { ApiRequest } from './request.ts';
import type { ApiResponse } from './response.ts';

/** What a problem's `type` leads to: one plain page, complete in itself. */
export function problemPage(slug: ProblemSlug, request: ApiRequest): ApiResponse {
  const { status, title } = PROBLEM_TYPES[slug];
  return htmlPage(
    request,
    title,
    `<h1>${inline(title)}</h1>
<p>HTTP status ${status}, problem <code>${slug}</code></p>
<p>${inline(PROBLEM_EXPLANATIONS[slug])}</p>
<p><a href="../../docs">The API’s reference</a></p>`,
  );
}
