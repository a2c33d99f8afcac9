import { endRun } from '../domain/batch/end-run.ts';
import { finishAndReport } from '../finish-and-report.ts';
import { logFailure } from '../observability/log.ts';
import { dispatchPorts, publishPorts, starter, stores } from '../wiring.ts';
import { batchInput, step } from './step.ts';

export const handler = step('finish-batch', batchInput, async ({ batch_id }) => {
  const outcome = await endRun(
    {
      ...stores(),
      finishAndReport,
      dispatching: dispatchPorts(starter()),
      publishing: publishPorts(),
      onFollowUpFailure: (followUp, error) => logFailure(followUp)(batch_id, error),
    },
    batch_id,
  );
  const { kind } = outcome;
  return kind === 'unknown' ? { kind } : { kind, tenant: outcome.tenant };
});
