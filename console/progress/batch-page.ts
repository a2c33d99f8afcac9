import { type Batch, SoilError } from 'soil-batch-client';
import { copyButton } from '../copy-button.ts';
import { fill, h } from '../element.ts';
import { failureNotice } from '../failure.ts';
import { explainBatchError } from '../state/messages.ts';
import type { PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { cancelButton, retryButton } from './batch-actions.ts';
import { factsOf, labelOf } from './batch-facts.ts';
import { batchFiles } from './batch-files.ts';
import { batchTotal } from './batch-total.ts';
import { deliveryLog } from './deliveries.ts';
import { jobsView } from './jobs-view.ts';
import { useAgainButton } from './use-again.ts';

export function batchPage(session: Session, batchId: string): PageView {
  const batch = session.client.batch(batchId);
  const abort = new AbortController();
  const { signal } = abort;
  const heading = h('h1', {}, TEXTS.progress.title);
  const waiting = h('p', {}, TEXTS.progress.waiting);
  const facts = h('div', {}, waiting);
  const jobs = jobsView(session, batchId, signal);
  const parts = [
    cancelButton(batch, signal),
    retryButton(batch, signal, (created) => session.go({ page: 'batch', batchId: created })),
    useAgainButton(session, batch, signal),
    batchTotal(batch, session.models, signal),
    batchFiles(session.client, batch, signal),
    jobs,
    deliveryLog(batch, signal),
  ];
  const follow = async () => {
    try {
      for await (const now of batch.changes({ signal })) {
        fill(heading, labelOf(now));
        fill(facts, factsOf(now));
        await Promise.all(parts.map((part) => part.show(now)));
      }
    } catch (reason) {
      if (signal.aborted) return;
      const explained = await findExplanation(batch, reason, signal);
      if (signal.aborted) return;
      if (facts.contains(waiting)) fill(facts);
      failure.show(explained);
    }
  };
  const failure = failureNotice(follow, (reason) => explainBatchError(reason, session.limits));
  follow();
  return {
    title: TEXTS.progress.title,
    content: h(
      'div',
      { class: 'wide' },
      heading,
      facts,
      buildId(batch),
      failure.element,
      jobs.legend,
      ...parts.map(({ element }) => element),
    ),
    leave() {
      abort.abort();
      jobs.leave();
    },
  };
}

function buildId({ id }: Batch): HTMLElement {
  const shown = h('code', {}, id);
  const copy = copyButton(shown, { class: 'quiet', 'aria-label': TEXTS.progress.copyId });
  return h('p', { class: 'muted id' }, TEXTS.progress.id, ' ', shown, ' ', ...copy);
}

/** A deleted batch is unknown to the service; only the request for its results says that it has expired. */
async function findExplanation(
  batch: Batch,
  reason: unknown,
  signal: AbortSignal,
): Promise<unknown> {
  if (!(reason instanceof SoilError) || reason.type !== 'batch-not-found') return reason;
  try {
    await batch.results({ signal }).next();
    return reason;
  } catch (better) {
    return better;
  }
}
