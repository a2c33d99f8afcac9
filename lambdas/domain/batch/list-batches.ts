import { mapInParallel } from '#engine/concurrency/in-parallel.ts';
import { type Clock, timestamp } from '../clock.ts';
import type { JobStore } from '../job/job.ts';
import { LIMITS } from '../limits.ts';
import {
  type Batch,
  type BatchIndex,
  type BatchPosition,
  type BatchStore,
  type CreatedBetween,
  isFinal,
} from './batch.ts';
import { readCountedJobs, readUsualTimes, type UsualTimesPorts } from './batch-progress.ts';
import type { BatchView } from './batch-schema.ts';
import { batchView } from './batch-view.ts';
import { isVisible } from './owned-batch.ts';

export interface ListBatchesPorts extends UsualTimesPorts {
  readonly batchIndex: BatchIndex;
  readonly batches: Pick<BatchStore, 'readBatches' | 'readAllMetadata'>;
  readonly jobs: Pick<JobStore, 'listCounted'>;
  readonly clock: Clock;
}

export interface BatchSelection {
  /** Null for any. */
  readonly status: Batch['status'] | null;
  /** Null for any. */
  readonly name: string | null;
  readonly created: CreatedBetween;
  /** The position after which the list starts; null starts at the newest batch. */
  readonly after: BatchPosition | null;
  readonly limit: number;
}

export interface BatchList {
  readonly batches: readonly BatchView[];
  /** The position after which the next page starts; null on the last page. */
  readonly next: BatchPosition | null;
}

/** At least this many batches are read together, even for a smaller page, because few of them may match the filters. */
const LEAST_AT_ONCE = 10;

const JOBS_AT_ONCE = 10;

/**
 * Lists a tenant's batches, newest first. The index finds them, and the table provides their content. A page that
 * becomes too expensive ends early, with fewer than `limit` batches or none.
 */
export async function listBatches(
  ports: ListBatchesPorts,
  tenant: string,
  { status, name, created, after, limit }: BatchSelection,
): Promise<BatchList> {
  const atOnce = Math.max(limit, LEAST_AT_ONCE);
  // Reads one more than needed, to learn whether a next page exists.
  const newestAfter = (position: BatchPosition | null) =>
    ports.batchIndex.newestAfter(tenant, created, position, atOnce + 1);
  const { batchesRead, jobsCounted, metadataBytes } = LIMITS.listing;
  const budget = { batches: limit, jobs: jobsCounted, metadataBytes };
  const listed: BatchView[] = [];
  let position = after;
  const [usualTimes, first] = await Promise.all([readUsualTimes(ports), newestAfter(position)]);
  for (let read = atOnce, found = first; ; read += atOnce, found = await newestAfter(position)) {
    const hints = found.slice(0, atOnce);
    const batches = await ports.batches.readBatches(hints.map(({ batchId }) => batchId));
    const matching = hints
      .flatMap((hint, at) => {
        const batch = batches[at] ?? null;
        return batch !== null && isVisible(batch, tenant, ports.clock) ? [{ hint, batch }] : [];
      })
      .filter(({ batch }) => status === null || batch.status === status)
      .filter(({ batch }) => name === null || batch.name === name);
    const wanted = matching.filter(({ batch }) => {
      budget.batches -= 1;
      budget.jobs -= isFinal(batch) ? 0 : batch.total_jobs;
      return budget.batches >= 0 && budget.jobs >= 0;
    });
    const metadata = await ports.batches.readAllMetadata(wanted.map(({ hint }) => hint.batchId));
    const fitting = wanted.filter((_, at) => {
      budget.metadataBytes -= Buffer.byteLength(metadata[at] ?? '');
      return budget.metadataBytes >= 0;
    });
    const views = await mapInParallel(
      [...fitting.entries()],
      JOBS_AT_ONCE,
      async ([at, { batch }]) =>
        batchView(
          batch,
          await readCountedJobs(ports.jobs, batch),
          metadata[at] ?? null,
          timestamp(ports.clock()),
          usualTimes,
        ),
    );
    listed.push(...views);
    const isFull = budget.batches <= 0 || fitting.length < matching.length;
    position = (isFull ? fitting.at(-1)?.hint : hints.at(-1)) ?? position;
    const isLast = found.length === 0 || position === found.at(-1);
    if (isLast) return { batches: listed, next: null };
    if (isFull || read >= batchesRead) return { batches: listed, next: position };
  }
}
