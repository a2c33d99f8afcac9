import { PROBLEM_TYPES, type ProblemSlug } from './problem-types.ts';
import type { ApiResponse } from './response.ts';

/** What a problem's `type` leads to: one plain page, complete in itself. */
export function problemPage(slug: ProblemSlug): ApiResponse {
  const { status, title, explanation } = PROBLEM_TYPES[slug];
  return {
    status: 200,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'public, max-age=3600',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    },
    body: `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>body{font:1.1rem/1.6 system-ui,sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}</style>
<h1>${title}</h1>
<p>HTTP status ${status}, problem <code>${slug}</code></p>
<p>${explanation.replaceAll('<', '&lt;').replace(/`([^`]+)`/g, '<code>$1</code>')}</p>
</html>
`,
  };
}
