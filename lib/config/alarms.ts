import * as z from 'zod';
import { baseUrl } from './base-url.ts';

/** Who is notified of alarms, and their thresholds. */
export const alarms = {
  alarms: z.strictObject({
    /** Subscribes to the topic that the stack creates; without it, alarms appear only in CloudWatch. */
    email: z.email().optional(),
    /** An existing topic to use instead; its key must allow CloudWatch to use it. */
    topicArn: z
      .string()
      .regex(/^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w-]+$/, 'must be the ARN of an SNS topic')
      .optional(),
    /** The base URL of `docs/runbooks`, for links in alarms; without it, alarms name the file. */
    runbookUrl: baseUrl.optional(),
    /** For how long a batch has had its slot when it raises a page. */
    oldestUnfinishedMinutes: z
      .int()
      .min(5)
      .max(47 * 60),
  }),
};
