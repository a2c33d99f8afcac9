import { Lexer, Parser } from 'marked';
import type { ApiRequest } from './request.ts';
import { type ApiResponse, revalidatedText } from './response.ts';

/** The page is light or dark according to the system setting, and loads no external resources. */
const STYLE = `:root{color-scheme:light dark;--line:light-dark(#d5dade,#3a4148);--soft:light-dark(#f3f5f6,#1d2226);--link:light-dark(#0b5c8c,#7cc4f2);--page:light-dark(#fff,#14181b)}
html{scroll-padding-top:1rem}body{font:1rem/1.55 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;background:var(--page);color:light-dark(#1c2226,#dfe4e8)}
body:has(.columns){max-width:80rem}h1,h2,h3{line-height:1.25}h3{margin-top:2rem}h3:target,.section:has(>:target) h2{background:var(--soft)}
.section{border-top:1px solid var(--line)}:not(.section)+.section{margin-top:2.5rem}.section>summary{padding:.6rem 0}.section>div{padding-bottom:2rem;scroll-margin-top:3.5rem}h2{display:inline;font-size:1.25rem;color:light-dark(#1c2226,#dfe4e8)}
a{color:var(--link)}:focus-visible{outline:2px solid var(--link);outline-offset:2px}main:focus{outline:0}
code,pre{font:.92em/1.5 ui-monospace,monospace;background:var(--soft);border-radius:.25rem}code{padding:.1em .3em}
pre{padding:1rem;overflow:auto;max-height:24rem;white-space:pre-wrap;overflow-wrap:anywhere}pre code{padding:0;background:none}summary{cursor:pointer;color:var(--link);padding:.3rem 0}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-size:.95rem}th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line)}td{overflow-wrap:break-word}td:first-child code{white-space:nowrap}
.skip,.back{position:fixed;padding:.4rem .8rem;background:var(--soft);border:1px solid var(--line);border-radius:.25rem}.skip{top:.5rem;left:-99rem}.skip:focus{left:.5rem}.back{right:.5rem;bottom:.5rem}
.columns nav{font-size:.92rem}.columns nav ul{list-style:none;margin:0;padding:0}.columns nav ul ul{padding-left:1rem}.columns nav a{display:block;padding:.15rem 0;text-decoration:none}.columns nav a:is(:hover,:focus){text-decoration:underline}
main{min-width:0}@media(min-width:60rem){.columns{display:grid;grid-template-columns:15rem minmax(0,1fr);gap:2.5rem}.side{position:sticky;top:0;align-self:start;max-height:100vh;overflow-y:auto;padding:1rem 0;box-sizing:border-box}.top,.back{display:none}}
@media(max-width:59.99rem){.side{display:none}.columns nav a{padding:.4rem 0}}
@media(max-width:40rem){table,tr,td{display:block}th{display:none}tr{padding:.4rem 0;border-bottom:1px solid var(--line)}td,td code{padding-top:0;padding-bottom:0;border:0}td:first-child code{white-space:normal}td{overflow-wrap:anywhere}td:empty{display:none}}
@media print{details::details-content{content-visibility:visible}.columns{display:block}.side,.top,.back,.skip{display:none}pre{max-height:none}}`;

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
<title>${escapeHtml(title)}</title>
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

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character] ?? character);
}

export function renderInline(text: string): string {
  return Parser.parseInline(Lexer.lexInline(text));
}
