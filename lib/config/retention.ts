import * as z from 'zod';

/** Retention periods, in days, that CloudWatch Logs supports. */
const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 180, 365] as const;

/** How long data is kept, and how it is protected. */
export const retention = {
  /** Days until `results_expire_at`; objects are kept two days longer. */
  retentionDays: z.number().int().min(1).max(365),
  /** Hours after which an unfinished batch is failed; the execution of a batch times out after 48. */
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
