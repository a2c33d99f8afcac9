import * as z from 'zod';

/** CloudWatch Logs keeps a group for one of these many days only. */
const LOG_RETENTION_DAYS = [1, 3, 5, 7, 14, 30, 60, 90, 180, 365] as const;

/** How long what is made lasts, and what protects it. */
export const retention = {
  /** Days until `results_expire_at`; objects live two days longer. */
  retentionDays: z.number().int().min(1).max(365),
  /** Hours after which an unfinished batch is given up; a batch's execution ends by itself after 48. */
  deadlineHours: z.number().int().min(1).max(47),
  /** What becomes of table, buckets, keys and secrets when their stack is deleted. */
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
