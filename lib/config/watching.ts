import * as z from 'zod';
import { baseUrl } from './base-url.ts';

/** Who is told when something is wrong, and of what. */
export const watching = {
  alarms: z.strictObject({
    /** Who is told by a topic of the stack's own; without it alarms are seen in CloudWatch only. */
    email: z.email().optional(),
    /** A topic that exists, in place of one of the stack's own; its key must let CloudWatch use it. */
    topicArn: z
      .string()
      .regex(/^arn:aws[\w-]*:sns:[\w-]+:\d{12}:[\w-]+$/, 'must be the ARN of an SNS topic')
      .optional(),
    /** Where `docs/runbooks` is read; alarms link to it. Without it they name the file. */
    runbookUrl: baseUrl.optional(),
    /** A batch that is unfinished for so long wakes somebody. */
    oldestUnfinishedMinutes: z
      .int()
      .min(5)
      .max(47 * 60),
  }),
};
