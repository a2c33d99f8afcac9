import { finishBatch } from '../domain/batch/finish-batch.ts';
import { publishEvent } from '../domain/delivery/publish-event.ts';
import { dispatchNext } from '../domain/dispatch/dispatch.ts';
import { logFailure, observeBatches } from '../observability/log.ts';
import { measureFinish } from '../observability/measure-finish.ts';
import { dispatchPorts, finishPorts, pricing, publishPorts, starter, stores } from '../ports.ts';
import { batchInput, step } from './step.ts';

const { batches, knownBatch } = observeBatches(stores().batches);

export const handler = step(
  'finish-batch',
  batchInput,
  async ({ batch_id }) => {
    const outcome = await finishBatch({ ...finishPorts(), batches }, batch_id);
    const finish = measureFinish(outcome, pricing());
    if (outcome.kind === 'finished' && outcome.times !== null) {
      await stores()
        .recentTimes.add(outcome.times)
        .catch((error: unknown) => logFailure('times-lost')(batch_id, error));
    }
    await dispatchNext(dispatchPorts(starter()), batch_id, logFailure('dispatch-left'));
    const publishing = publishPorts();
    if (publishing !== null) {
      // Best effort: the reconciler publishes what is left.
      await publishEvent(publishing, batch_id).catch((error: unknown) =>
        logFailure('event-left')(batch_id, error),
      );
    }
    return finish;
  },
  () => ({}),
  { knownBatch },
);
