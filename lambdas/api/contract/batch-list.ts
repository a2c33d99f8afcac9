import * as z from 'zod';
import { batchStatusResponse } from './responses.ts';

/** What `GET /v1/batch` answers. */
export const batchListResponse = z
  .strictObject({
    batches: z
      .array(batchStatusResponse)
      .describe('Newest first; each as its status tells it, with `jobs` left empty'),
    has_more: z.boolean(),
    next_cursor: z.string().nullable().describe('Opens the next page, unchanged; null on the last'),
  })
  .refine(
    (list) => list.has_more === (list.next_cursor !== null),
    'has_more contradicts next_cursor',
  );

export type BatchListResponse = z.infer<typeof batchListResponse>;
