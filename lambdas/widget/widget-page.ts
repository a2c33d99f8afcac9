import { clientText, type Html, html } from '../../client/src/drawing/html.ts';
import type { BatchDetail } from '../domain/dashboard/batch-detail.ts';
import type { RunningBatches } from '../domain/dashboard/running-batches.ts';
import { detailPage } from './detail-page.ts';
import { linkTo } from './page-parts.ts';
import { runningPage } from './running-page.ts';

/** The content of one page. */
export type View =
  | { readonly kind: 'board'; readonly batches: RunningBatches }
  | { readonly kind: 'batch'; readonly detail: BatchDetail }
  | { readonly kind: 'no-batch'; readonly batchId: string };

/** A view as the HTML that CloudWatch shows. */
export function widgetPage(view: View, theme: Theme, endpoint: string): string {
  return page(theme, bodyOf(view, endpoint));
}

function bodyOf(view: View, endpoint: string): Html {
  const link = linkTo(endpoint);
  switch (view.kind) {
    case 'board':
      return runningPage(view.batches, link);
    case 'batch':
      return detailPage(view.detail, link);
    case 'no-batch':
      return html`<div class="calm">No such batch: <span class="mono">${clientText(view.batchId, 60)}</span>. Its id is wrong, or its results have expired.<br>${link('← all batches', {})}</div>`;
  }
}

export type Theme = 'light' | 'dark';

/**
 * Colours of the states. They differ in lightness as well as in hue, for colour-blind readers, on
 * CloudWatch's own backgrounds (white, #161d26).
 */
const COLOURS: Readonly<Record<Theme, Readonly<Record<string, string>>>> = {
  light: {
    ink: '#16202b',
    soft: '#5a6773',
    line: '#e3e7eb',
    card: '#f7f8f9',
    pending: '#d5dbe1',
    processing: '#d9a13b',
    completed: '#2e7d5b',
    failed: '#b23a2e',
    link: '#00639e',
  },
  dark: {
    ink: '#e6eaee',
    soft: '#9aa7b3',
    line: '#2c3642',
    card: '#1c2530',
    pending: '#3b4754',
    processing: '#e3b75e',
    completed: '#56b58a',
    failed: '#f0776a',
    link: '#6fc0f5',
  },
};

/** A view in its theme, with CloudWatch's default styles of tables and links turned off. */
function page(theme: Theme, body: Html): string {
  const variables = Object.entries(COLOURS[theme])
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');
  return html`<div class="cwdb-no-default-styles"></div>
<style>.board{${variables}}${RULES}</style>
<div class="board">${body}</div>`.html;
}

const RULES: Html = {
  html: `
.board{color:var(--ink);font:13px/1.45 "Amazon Ember","Helvetica Neue",Roboto,Arial,sans-serif;padding:4px 6px 10px;font-variant-numeric:tabular-nums}
.board *{box-sizing:border-box}
.board .head{display:flex;flex-wrap:wrap;gap:4px 18px;align-items:baseline;margin:0 0 10px}
.board .head b{font-size:20px;font-weight:600;letter-spacing:-.01em}
.board .soft{color:var(--soft)}
.board .push{margin-left:auto}
.board .mono{font-family:"SFMono-Regular",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:12px}
.board a{color:var(--link);text-decoration:none;cursor:pointer}
.board .row{display:grid;grid-template-columns:minmax(270px,3fr) minmax(180px,5fr) repeat(3,minmax(74px,1fr));gap:6px 18px;align-items:center;padding:9px 2px;border-top:1px solid var(--line)}
.board .row.names{border:0;padding:0 2px 4px;color:var(--soft);font-size:11px;letter-spacing:.03em;text-transform:uppercase}
.board .figure{text-align:right;white-space:nowrap}
.board .bar{display:flex;height:8px;border-radius:4px;overflow:hidden;background:var(--pending)}
.board .bar.tall{height:12px;border-radius:6px}
.board .bar i{display:block;height:100%}
.board .completed{background:var(--completed)}
.board .processing{background:var(--processing)}
.board .failed{background:var(--failed)}
.board .pending{background:var(--pending)}
.board .alert{color:var(--failed);font-weight:600}
.board .under{display:flex;justify-content:space-between;margin-top:3px;font-size:12px;color:var(--soft)}
.board .key{display:inline-block;width:9px;height:9px;border-radius:2px;margin:0 5px 0 0}
.board .legend span{margin-right:14px;white-space:nowrap}
.board .columns{display:flex;flex-wrap:wrap;gap:14px;margin-top:14px}
.board .column{display:flex;flex-direction:column;gap:14px;flex:1 1 300px;min-width:0}
.board .column.wide{flex:2 1 420px}
.board .card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:11px 13px;min-width:0}
.board cwdb-action{display:none}
.board h4{margin:0 0 8px;font-size:12px;font-weight:600;color:var(--soft)}
.board .card p{margin:0 0 8px;overflow-wrap:anywhere}
.board .line{display:grid;grid-template-columns:minmax(0,1fr) 90px 62px;gap:10px;align-items:center;padding:4px 0}
.board .line>:first-child{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.board svg{display:block;max-width:100%}
.board svg .completed{fill:var(--completed)}
.board svg .processing{fill:var(--processing)}
.board svg .failed{fill:var(--failed)}
.board svg .pending{fill:var(--pending)}
@media (max-width:820px){.board .row{grid-template-columns:repeat(3,1fr)}.board .row>:nth-child(-n+2){grid-column:1/-1}.board .row.names{display:none}.board .figure{text-align:left}.board .figure[data-of]::after{content:" " attr(data-of);color:var(--soft)}}
.board .calm{padding:26px 4px;text-align:center;color:var(--soft)}
`,
};
