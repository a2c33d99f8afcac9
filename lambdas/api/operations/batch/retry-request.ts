import * as z from 'zod/mini';
import { LIMITS } from '../../../domain/limits.ts';
import { named } from '../../specification/published.ts';
import { nested, optionalField } from './create-request.ts';

const JOBS_RULE = `must be an array of 1 to ${LIMITS.jobsPerBatch} indexes of jobs of the batch`;
const INDEX_RULE = 'must be the index of a job of the batch, a whole number from 0';

export const retryRequest = named(
  'RetryBatch',
  z.strictObject(
    {
      only: optionalField(
        z.enum(['failed', 'retryable'], { error: 'must be "failed" or "retryable"' }),
        '`failed`, the default: every failed job. `retryable`: only those with `error_retryable` true',
      ),
      jobs: optionalField(
        z
          .array(z.int({ error: INDEX_RULE }).check(z.nonnegative({ error: INDEX_RULE })), {
            error: JOBS_RULE,
          })
          .check(
            z.minLength(1, { error: JOBS_RULE }),
            z.maxLength(LIMITS.jobsPerBatch, { error: JOBS_RULE }),
          ),
        '`job_index` of the jobs to choose from; by default all',
      ),
    },
    { error: nested('must be a JSON object; omit it to retry every failed job') },
  ),
);
