import * as z from 'zod';

const schemes = z.union(
  [z.tuple([z.literal('https')]), z.tuple([z.literal('https'), z.literal('http')])],
  {
    error: 'must be ["https"] or ["https", "http"]',
  },
);

/** Allowed receivers of webhooks, concurrency and schedule. */
export const deliveries = {
  webhooks: z.strictObject({
    schemes,
    privateReceivers: z.enum(['refuse', 'allow']),
    /** Ports that a receiver's URL may use, the default port of its scheme included. */
    ports: z.union([z.literal('any'), z.array(z.int().min(1).max(65_535)).min(1)], {
      error: 'must be "any" or a list of ports, such as [443]',
    }),
    /** Concurrent deliveries. An SQS event source allows 2 to 1,000. */
    concurrency: z.number().int().min(2).max(1_000),
    /** Multiplies the delays between attempts; less than 1 only in the stage `local`. */
    scheduleFactor: z.number().positive().max(1),
  }),
};
