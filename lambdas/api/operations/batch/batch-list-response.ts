import * as z from 'zod/mini';
import type { RawJson } from '#engine/json/raw-json.ts';
import type { BatchView } from '../../../domain/batch/batch-schema.ts';
import type { ViewOf } from '../../../domain/wire.ts';
import { named } from '../../specification/published.ts';
import { batchStatusResponse } from './batch-status.ts';

/** The response of `GET /v1/batch`. */
export const batchListResponse = named(
  'BatchList',
  z
    .strictObject({
      batches: z
        .array(batchStatusResponse)
        .check(
          z.describe('Newest first. Each has the fields of its batch status, with `jobs` empty'),
        ),
      has_more: z.boolean(),
      next_cursor: z
        .nullable(z.string())
        .check(z.describe('The cursor of the next page, to send unchanged; null on the last page')),
    })
    .check(
      z.refine(
        (list) => list.has_more === (list.next_cursor !== null),
        'has_more contradicts next_cursor',
      ),
    ),
);

/** A batch of the list in the response: its status, without its jobs. */
export type ListedBatch = BatchView & { readonly jobs: readonly [] };

/** The list in the response. Its batches are JSON text, because metadata is returned byte for byte. */
export type BatchListView = Omit<ViewOf<typeof batchListResponse>, 'batches'> & {
  readonly batches: RawJson;
};
