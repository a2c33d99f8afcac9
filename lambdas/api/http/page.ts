import type { ApiRequest } from './request.ts';
import { type ApiResponse, revalidatedText } from './response.ts';

/** Light or dark by the system setting. The page loads no external resources. */
const STYLE = `:root{color-scheme:light dark;--line:light-dark(#d5dade,#3a4148);--soft:light-dark(#f3f5f6,#1d2226);--link:light-dark(#0b5c8c,#7cc4f2)}
body{font:1.05rem/1.6 system-ui,sans-serif;max-width:60rem;margin:3rem auto;padding:0 1rem;background:light-dark(#fff,#14181b);color:light-dark(#1c2226,#dfe4e8)}
h1,h2,h3{line-height:1.25}h2{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line)}h3{margin-top:2rem}
a{color:var(--link)}code,pre{font:.92em/1.5 ui-monospace,monospace;background:var(--soft);border-radius:.25rem}code{padding:.1em .3em}
pre{padding:1rem;overflow:auto;max-height:30rem}pre code{padding:0;background:none}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.4rem .8rem .4rem 0;border-bottom:1px solid var(--line)}td code{white-space:nowrap}
@media(max-width:40rem){table,tr,td{display:block}th{display:none}tr{padding:.5rem 0;border-bottom:1px solid var(--line)}td,td code{padding-top:0;padding-bottom:0;border:0;white-space:normal;overflow-wrap:anywhere}td:empty{display:none}}`;

/** @param body the markup inside `<body>`, already escaped */
export function htmlPage(request: ApiRequest, title: string, body: string): ApiResponse {
  return revalidatedText(
    request,
    'text/html; charset=utf-8',
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`,
    {
      'Cache-Control': 'public, max-age=3600',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    },
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

/** The HTML of a text in which backticks mark code and `[text](URL)` a link. */
export function inline(text: string): string {
  return escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, '<a href="$2">$1</a>');
}
