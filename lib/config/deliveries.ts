import * as z from 'zod';

const schemes = z.union(
  [z.tuple([z.literal('https')]), z.tuple([z.literal('https'), z.literal('http')])],
  {
    error: 'must be ["https"] or ["https", "http"]',
  },
);

/** To whom webhooks go, how many at a time and how fast. */
export const deliveries = {
  webhooks: z.strictObject({
    schemes,
    privateReceivers: z.enum(['refuse', 'allow']),
    /** Ports that a receiver's URL may name, its scheme's own included. */
    ports: z.union([z.literal('any'), z.array(z.int().min(1).max(65_535)).min(1)], {
      error: 'must be "any" or a list of ports, such as [443]',
    }),
    /** Deliveries at a time. An SQS event source takes 2 to 1,000. */
    concurrency: z.number().int().min(2).max(1_000),
    /** Of the delays between attempts: less than 1 only where a person would wait for the last one. */
    scheduleFactor: z.number().positive().max(1),
  }),
};
