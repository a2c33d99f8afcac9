import type { RecentTimes } from '../admission/batch-times.ts';
import { type PublishEventPorts, publishEvent } from '../delivery/publish-event.ts';
import { type DispatchPorts, dispatchQueue } from '../dispatch/dispatch.ts';
import type { BatchId } from '../identity.ts';
import type { BatchFinish } from './finish-batch.ts';

export interface EndRunPorts {
  readonly finishAndReport: (batchId: BatchId) => Promise<BatchFinish>;
  readonly recentTimes: RecentTimes;
  readonly dispatching: DispatchPorts;
  /** Null if the stage has no event bus. */
  readonly publishing: PublishEventPorts | null;
  /**
   * Called when a follow-up failed. The batch's times are lost if they were not stored; the reconciler repeats the
   * other follow-ups.
   */
  readonly onFollowUpFailure: (
    followUp: 'times-lost' | 'dispatch-left' | 'event-left',
    error: unknown,
  ) => void;
}

/** The follow-ups of the batch's end never fail the step. */
export async function endRun(ports: EndRunPorts, batchId: BatchId): Promise<BatchFinish> {
  const { recentTimes, dispatching, publishing, onFollowUpFailure } = ports;
  const finish = await ports.finishAndReport(batchId);
  const times = finish.kind === 'finished' ? finish.times : null;
  const reportFailed = (followUp: Parameters<typeof onFollowUpFailure>[0]) => (error: unknown) =>
    onFollowUpFailure(followUp, error);
  if (times !== null) await recentTimes.add(times).catch(reportFailed('times-lost'));
  await dispatchQueue(dispatching).catch(reportFailed('dispatch-left'));
  if (publishing !== null)
    await publishEvent(publishing, batchId).catch(reportFailed('event-left'));
  return finish;
}
