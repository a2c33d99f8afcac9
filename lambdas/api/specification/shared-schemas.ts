import { batchState, finalBatchState } from '../../domain/batch/batch-schema.ts';
import { attemptOutcome, deliveryState } from '../../domain/delivery/delivery-schema.ts';
import { stockSchema, summarySchema } from '../../domain/job/job-summary.ts';
import {
  errorLocation,
  jobErrorCode,
  jobResult,
  jobSchema,
  jobWarning,
  jobWarningCode,
  temporality,
} from '../../domain/job/reading/job-schema.ts';
import { workState } from '../../domain/wire.ts';
import { named } from './published.ts';

/**
 * Names the schemas that several objects share. Client generators derive the name of an unnamed
 * enum from its parent and field, so two objects would get two types, or two types one name.
 */
export function nameSharedSchemas(): void {
  named('BatchState', batchState);
  named('FinalBatchState', finalBatchState);
  named('WorkState', workState);
  named('JobErrorCode', jobErrorCode);
  named('JobWarningCode', jobWarningCode);
  named('JobWarning', jobWarning);
  named('WebhookJob', jobSchema);
  named('JobResult', jobResult);
  named('JobSummary', summarySchema);
  named('Stock', stockSchema);
  named('ErrorLocation', errorLocation);
  named('Temporality', temporality);
  named('AttemptOutcome', attemptOutcome);
  named('DeliveryState', deliveryState);
}
