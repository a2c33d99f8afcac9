import * as z from 'zod/mini';

/** What a page says of the next one. */
export const pageFields = {
  has_more: z.boolean(),
  next_cursor: z
    .nullable(z.string())
    .check(z.describe('Opens the next page, unchanged; null on the last')),
} as const;
