import * as z from 'zod/mini';

/** The fields of a page that lead to the next page. */
export const pageFields = {
  has_more: z.boolean(),
  next_cursor: z
    .nullable(z.string())
    .check(z.describe('The cursor of the next page, to send unchanged; null on the last page')),
} as const;
