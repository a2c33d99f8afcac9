import * as z from 'zod/mini';
import type { BatchView } from '../../../domain/batch/batch-schema.ts';
import type { Told } from '../../../domain/wire.ts';
import type { RawJson } from '../../../json/raw-json.ts';
import { named } from '../../specification/published.ts';
import { batchStatusResponse } from './batch-status.ts';

/** What `GET /v1/batch` answers. */
export const batchListResponse = named(
  'BatchList',
  z
    .strictObject({
      batches: z
        .array(batchStatusResponse)
        .check(z.describe('Newest first; each as its status tells it, with `jobs` left empty')),
      has_more: z.boolean(),
      next_cursor: z
        .nullable(z.string())
        .check(z.describe('Opens the next page, unchanged; null on the last')),
    })
    .check(
      z.refine(
        (list) => list.has_more === (list.next_cursor !== null),
        'has_more contradicts next_cursor',
      ),
    ),
);

/** A batch of the list as it is written: its status, without its jobs. */
export type ListedBatch = BatchView & { readonly jobs: readonly [] };

/** The list as it is written: its batches as text, for their metadata is the text that was sent. */
export type BatchListView = Omit<Told<typeof batchListResponse>, 'batches'> & {
  readonly batches: RawJson;
};
