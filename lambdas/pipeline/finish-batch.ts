import { endRun } from '../domain/batch/end-run.ts';
import { finishBatch } from '../domain/batch/finish-batch.ts';
import { logFailure, observeBatches } from '../observability/log.ts';
import { measureFinish } from '../observability/measure-finish.ts';
import { dispatchPorts, finishPorts, pricing, publishPorts, starter, stores } from '../ports.ts';
import { batchInput, step } from './step.ts';

const { batches, knownBatch } = observeBatches(stores().batches);

export const handler = step(
  'finish-batch',
  batchInput,
  async ({ batch_id }) => {
    const finish = await endRun(
      {
        ...stores(),
        finish: (batchId) => finishBatch({ ...finishPorts(), batches }, batchId),
        dispatching: dispatchPorts(starter()),
        publishing: publishPorts(),
        onFollowUpFailure: (followUp, error) => logFailure(followUp)(batch_id, error),
      },
      batch_id,
    );
    return measureFinish(finish, pricing());
  },
  () => ({}),
  { knownBatch },
);
