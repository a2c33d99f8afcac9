import { clientText, type Html, html } from '#engine/markup/html.ts';
import type { BatchDetail } from '../domain/dashboard/batch-detail.ts';
import type { RunningBatches } from '../domain/dashboard/running-batches.ts';
import { detailPage } from './detail-page.ts';
import { linkTo } from './page-parts.ts';
import { runningPage } from './running-page.ts';
import { page, type Theme } from './style.ts';

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
