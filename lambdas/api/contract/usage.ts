import * as z from 'zod';

const of = (unit: z.ZodNumber, what: string) =>
  z.strictObject({
    limit: unit.describe(`${what} a day`),
    used: unit.describe('Taken today, without what was given back'),
    remaining: unit.describe('What a batch may still ask for today'),
    given_back: unit.describe('Today, for jobs that failed by our fault'),
  });

/** What `GET /v1/usage` answers. */
export const usageResponse = z.strictObject({
  day: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}$/)
    .describe('Today, in UTC'),
  resets_at: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}T00:00:00\.000Z$/)
    .describe('When the next day’s quota begins'),
  jobs: of(z.number().int().nonnegative(), 'Jobs'),
  hectares: of(z.number().nonnegative(), 'Hectares of ground'),
});

export type UsageResponse = z.infer<typeof usageResponse>;
