import { fill, h } from '../element.ts';
import { failureNotice } from '../failure.ts';
import type { PageView, Session } from '../state/session.ts';
import { TEXTS } from '../texts.ts';
import { factsOf } from './batch-facts.ts';
import { batchFiles } from './batch-files.ts';
import { cancelButton } from './cancel-button.ts';
import { deliveryLog } from './deliveries.ts';
import { jobsView } from './jobs-view.ts';
import { retryButton } from './retry-button.ts';

/** A batch from its submission to its end: counts, states of the jobs, and their fields on the map. */
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
    jobs,
    batchFiles(batch, signal),
    deliveryLog(batch, signal),
  ];
  const follow = async () => {
    try {
      for await (const now of batch.progress({ signal })) {
        fill(heading, now.name === null ? TEXTS.progress.title : h('bdi', {}, now.name));
        fill(facts, factsOf(now));
        await Promise.all(parts.map((part) => part.show(now)));
      }
    } catch (reason) {
      if (signal.aborted) return;
      if (facts.contains(waiting)) fill(facts);
      failure.show(reason);
    }
  };
  const failure = failureNotice(follow);
  follow();
  return {
    title: TEXTS.progress.title,
    content: h('div', {}, heading, facts, failure.element, ...parts.map(({ element }) => element)),
    leave() {
      abort.abort();
      jobs.leave();
    },
  };
}
