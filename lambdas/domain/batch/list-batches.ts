import { inParallel } from '#engine/concurrency/in-parallel.ts';
import { type Clock, timestamp } from '../clock.ts';
import type { JobStore } from '../job/job.ts';
import { LIMITS } from '../limits.ts';
import type {
  Batch,
  BatchIndex,
  BatchPosition,
  BatchState,
  BatchStore,
  CreatedBetween,
} from './batch.ts';
import {
  type CompletionRangeOf,
  type CompletionRangePorts,
  completionRanges,
} from './batch-progress.ts';
import { batchView } from './batch-view.ts';
import { ownedBatch } from './owned-batch.ts';

export interface ListBatchesPorts extends CompletionRangePorts {
  readonly batchIndex: BatchIndex;
  readonly batches: Pick<BatchStore, 'read' | 'readMetadata'>;
  readonly jobs: Pick<JobStore, 'listCounted'>;
  readonly clock: Clock;
}

export interface BatchSelection {
  /** If it is null, batches of any status are selected. */
  readonly status: BatchState['status'] | null;
  /** If it is null, batches of any name are selected. */
  readonly name: string | null;
  readonly created: CreatedBetween;
  /** If it is null, the list starts at the newest batch. */
  readonly after: BatchPosition | null;
  readonly limit: number;
}

export interface BatchList {
  readonly batches: readonly ReturnType<typeof batchView>[];
  /** The position after which the next page starts; null after the last. */
  readonly next: BatchPosition | null;
}

/** Batches read at a time. Each takes a read of the batch, its metadata and its jobs. */
const AT_ONCE = 10;

/**
 * A tenant's batches, newest first. The index finds them; their content is read from the table. A page
 * that becomes too costly ends early, with fewer than `limit` batches or none.
 */
export async function listBatches(
  ports: ListBatchesPorts,
  tenant: string,
  { status, name, created, after, limit }: BatchSelection,
): Promise<BatchList> {
  const completionRangeOf = await completionRanges(ports);
  const listed: Listed[] = [];
  let position = after;
  for (let read = 0, isFull = false; !isFull && !isCostly(read, listed); ) {
    const hints = await ports.batchIndex.newestAfter(tenant, created, position, AT_ONCE);
    const found = await inParallel(hints, AT_ONCE, ({ batchId }) =>
      ownedBatch(ports, tenant, batchId),
    );
    const matching = hints
      .flatMap((hint, position) => {
        const batch = found[position] ?? null;
        return batch === null ? [] : [{ hint, batch }];
      })
      .filter(({ batch }) => status === null || batch.state.status === status)
      .filter(({ batch }) => name === null || batch.name === name);
    let jobs = jobsIn(listed);
    const wanted = matching.slice(0, limit - listed.length).filter(({ batch }) => {
      jobs += batch.totalJobs;
      return jobs <= LIMITS.listing.jobsCounted;
    });
    listed.push(
      ...(await inParallel(wanted, AT_ONCE, ({ batch }) =>
        listedOf(ports, batch, completionRangeOf),
      )),
    );
    isFull = listed.length === limit || wanted.length < matching.length;
    position = (isFull ? wanted.at(-1)?.hint : hints.at(-1)) ?? position;
    read += hints.length;
    if (!isFull && hints.length < AT_ONCE) return { batches: viewsOf(listed), next: null };
  }
  const rest = await ports.batchIndex.newestAfter(tenant, created, position, 1);
  return { batches: viewsOf(listed), next: rest.length === 0 ? null : position };
}

interface Listed {
  readonly view: ReturnType<typeof batchView>;
  readonly metadataBytes: number;
}

async function listedOf(
  ports: ListBatchesPorts,
  batch: Batch,
  completionRangeOf: CompletionRangeOf,
): Promise<Listed> {
  const [records, metadata] = await Promise.all([
    ports.jobs.listCounted(batch.batchId),
    ports.batches.readMetadata(batch.batchId),
  ]);
  return {
    view: batchView(batch, records, metadata, timestamp(ports.clock()), completionRangeOf),
    metadataBytes: metadata === null ? 0 : Buffer.byteLength(metadata),
  };
}

/** Checked after each group of reads, so a page may exceed the bytes of metadata by one group. */
function isCostly(read: number, listed: readonly Listed[]): boolean {
  const { batchesRead, jobsCounted, metadataBytes } = LIMITS.listing;
  return (
    read >= batchesRead ||
    jobsIn(listed) >= jobsCounted ||
    listed.reduce((total, each) => total + each.metadataBytes, 0) >= metadataBytes
  );
}

const jobsIn = (listed: readonly Listed[]): number =>
  listed.reduce((total, { view }) => total + view.total_jobs, 0);

function viewsOf(listed: readonly Listed[]) {
  return listed.map(({ view }) => view);
}
