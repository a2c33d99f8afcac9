import * as z from 'zod';
import { BATCH_DAYS } from '../../lambdas/domain/limits.ts';

/** Retention periods, in days, that CloudWatch Logs supports. */
const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 180, 365] as const;

/** How long data is kept, and how it is protected. */
export const retention = {
  /**
   * Days from creation to `results_expire_at`: at least one to read the results of a batch that waited as
   * long as it may. Objects are kept two days longer.
   */
  retentionDays: z
    .number()
    .int()
    .min(BATCH_DAYS + 1)
    .max(365),
  /** Hours after which a batch that has started is failed; its execution times out after 48. */
  deadlineHours: z.number().int().min(1).max(47),
  /** What happens to table, buckets, keys and secrets when their stack is deleted. */
  removalPolicy: z.enum(['retain', 'destroy']),
  deletionProtection: z.boolean(),
  pointInTimeRecovery: z.boolean(),
  logRetentionDays: z.union(
    LOG_RETENTION_DAYS.map((days) => z.literal(days)),
    {
      error: `must be one of ${LOG_RETENTION_DAYS.join(', ')}`,
    },
  ),
};
