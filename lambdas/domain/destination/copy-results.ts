import { PackFileUnavailable } from '#engine/model/pack/pack-files.ts';
import type { Batch, BatchStore } from '../batch/batch.ts';
import {
  type BatchResults,
  type ReadResultsPorts,
  type ResultRow,
  readResults,
  toResultRow,
} from '../batch/read-results.ts';
import { millisecondsBetween, type Timestamp, timestamp } from '../clock.ts';
import type { BatchId } from '../identity.ts';
import { RASTER_MEDIA_TYPE, type ResultFiles } from '../job/finishing/rasters.ts';
import type { JobStore } from '../job/job.ts';
import { entryAt, type JobRequests } from '../job/job-requests.ts';
import { TransientFailure } from '../step-failure.ts';
import { NO_COPIES } from './copy-status.ts';
import {
  type ClientBuckets,
  type CopiedFile,
  type CopyState,
  type CopyStore,
  type Destination,
  DestinationRefused,
  type DestinationStep,
  destinationKeys,
  formatUri,
} from './destination.ts';

/** The documents that are copied to a client's bucket together with the rasters. */
export interface ResultDocuments {
  /** @param hrefs of the Item itself and of its raster */
  item(row: ResultRow, baseUrl: string, hrefs: ItemHrefs): Promise<ResultDocument>;
  tables(
    results: BatchResults,
    baseUrl: string,
  ): Promise<{ readonly csv: ResultDocument; readonly geojson: ResultDocument }>;
}

export interface ResultDocument {
  readonly mediaType: string;
  readonly text: string;
}

export interface ItemHrefs {
  readonly self: string;
  readonly data: string;
}

export interface CopyResultsPorts extends ReadResultsPorts {
  readonly batches: Pick<BatchStore, 'readBatch'>;
  readonly jobs: Pick<JobStore, 'list' | 'read'>;
  readonly jobRequests: Pick<JobRequests, 'entries' | 'jobs' | 'job'>;
  readonly copies: CopyStore;
  readonly clientBuckets: ClientBuckets;
  /** Reads results with the service's own rights. */
  readonly resultFiles: ResultFiles;
  readonly documents: ResultDocuments;
  readonly pause: (seconds: number) => Promise<void>;
}

export type Copying =
  | { readonly kind: 'copied'; readonly bytes: number }
  /** Time ran out before the last missing result. */
  | { readonly kind: 'cut-short'; readonly results: number }
  /** The job or batch has nothing to copy yet or any more, or an earlier copy of the batch failed. */
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'refused'; readonly step: DestinationStep; readonly refusal: string };

/** Copies the raster of a completed job and its Item to the client's bucket. A failed copy never fails the job. */
export async function copyResult(
  ports: CopyResultsPorts,
  batchId: BatchId,
  index: number,
): Promise<Copying> {
  const [batch, record] = await Promise.all([
    ports.batches.readBatch(batchId),
    ports.jobs.read(batchId, index),
  ]);
  if (batch?.destination === undefined || record?.status !== 'completed') return NOTHING_TO_DO;
  const entries = await ports.jobRequests.entries(batchId);
  const requested = await ports.jobRequests.job(batchId, entryAt(entries, batchId, index));
  const row = toResultRow(batch, index, record, entries, requested, NO_COPIES.viewJob);
  return copyRow(ports, batch, batch.destination, row);
}

async function copyRow(
  ports: CopyResultsPorts,
  batch: Batch,
  destination: Destination,
  row: ResultRow,
): Promise<Copying> {
  const { batchId, index, result } = row;
  // Another run may have copied the result, or failed, since the row was read.
  const state = await ports.copies.readCopies(batchId);
  if (result === null || state.failure !== null || state.copied.has(index)) return NOTHING_TO_DO;
  const { jobId, record } = result;
  const keys = destinationKeys(destination, batchId);
  const hrefs = {
    self: formatUri(destination, keys.item(jobId)),
    data: formatUri(destination, keys.raster(jobId)),
  };
  return copyOrRecordRefusal(ports, batchId, state, async () => {
    const bytes = await writeFiles(ports, batch, destination, async () => {
      const { files, href } = ports.resultFiles.open(batchId, jobId);
      const size = await files.readSize(href);
      if (size !== record.raster_bytes) throw new Error(`${href} has ${size} bytes`);
      const raster: CopiedFile = {
        key: keys.raster(jobId),
        mediaType: RASTER_MEDIA_TYPE,
        size,
        read: (offset, length) => files.readRange(href, offset, length),
      };
      const item = await ports.documents.item(row, destination.base_url, hrefs);
      return [raster, createTextFile(keys.item(jobId), item)];
    });
    await ports.copies.recordCopy(batchId, index);
    return { kind: 'copied', bytes };
  });
}

/** No copy of a further result starts after this time, so that even the largest has most of the function's timeout. */
export const SLICE_SECONDS = 120;

/**
 * Copies what the client's bucket lacks of a finished batch: results, then the tables. A result that cannot be read
 * holds up the tables, but not the other results.
 * @returns `cut-short` if time ran out, but only after at least one result was copied
 */
export async function copyMissing(ports: CopyResultsPorts, batchId: BatchId): Promise<Copying> {
  const startedAt = timestamp(ports.clock());
  const batch = await ports.batches.readBatch(batchId);
  if (batch?.destination === undefined) return NOTHING_TO_DO;
  const { copied, failure, complete } = await ports.copies.readCopies(batchId);
  if (failure !== null || complete) return NOTHING_TO_DO;
  const finished = await readResults(ports, batch.tenant, batchId);
  if (finished === null || !finished.finished) return NOTHING_TO_DO;
  const faults: unknown[] = [];
  let results = 0;
  for (const row of finished.rowsFrom(0)) {
    if (row.result === null || copied.has(row.index)) continue;
    if (results > 0 && secondsSince(startedAt, ports) > SLICE_SECONDS) {
      return { kind: 'cut-short', results };
    }
    try {
      const copying = await copyRow(ports, batch, batch.destination, row);
      if (copying.kind === 'refused') return copying;
      if (copying.kind === 'copied') results += 1;
    } catch (error) {
      faults.push(error);
    }
  }
  if (faults.length > 0) throw faults[0];
  return copyTables(ports, batch, batch.destination);
}

/** Copies the tables once all results are copied, because the tables contain the URI of each copy. */
async function copyTables(
  ports: CopyResultsPorts,
  batch: Batch,
  destination: Destination,
): Promise<Copying> {
  const { batch_id: batchId, tenant } = batch;
  const state = await ports.copies.readCopies(batchId);
  if (state.failure !== null || state.complete) return NOTHING_TO_DO;
  const results = await readResults(ports, tenant, batchId);
  if (results === null || !areCopied(results)) return NOTHING_TO_DO;
  return copyOrRecordRefusal(ports, batchId, state, async () => {
    const keys = destinationKeys(destination, batchId);
    const bytes = await writeFiles(ports, batch, destination, async () => {
      const { csv, geojson } = await ports.documents.tables(results, destination.base_url);
      return [createTextFile(keys.csv, csv), createTextFile(keys.geojson, geojson)];
    });
    await ports.copies.recordCompletion(batchId);
    return { kind: 'copied', bytes };
  });
}

function areCopied(results: BatchResults): boolean {
  for (const { result, job } of results.rowsFrom(0)) {
    if (result !== null && job.destination?.status !== 'copied') return false;
  }
  return true;
}

const NOTHING_TO_DO = { kind: 'nothing-to-do' } as const;

function createTextFile(key: string, { mediaType, text }: ResultDocument): CopiedFile {
  const bytes = Buffer.from(text, 'utf8');
  return {
    key,
    mediaType,
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(offset, offset + length),
  };
}

function writeFiles(
  ports: CopyResultsPorts,
  { tenant }: Batch,
  destination: Destination,
  openFiles: () => Promise<readonly CopiedFile[]>,
): Promise<number> {
  return retryTransient(ports, async () => {
    const bucket = await ports.clientBuckets.open({ ...destination, tenant });
    const files = await openFiles();
    for (const file of files) await bucket.write(file);
    return files.reduce((sum, { size }) => sum + size, 0);
  });
}

/** A batch must not hold its slot for longer than this because a bucket does not respond. */
const RETRY_SECONDS = 120;
const FIRST_WAIT_SECONDS = 1;
const LONGEST_WAIT_SECONDS = 20;

/** @throws DestinationRefused if the client's bucket fails transiently for two minutes */
async function retryTransient(
  { clock, pause }: Pick<CopyResultsPorts, 'clock' | 'pause'>,
  attempt: () => Promise<number>,
): Promise<number> {
  const startedAt = timestamp(clock());
  for (let wait = FIRST_WAIT_SECONDS; ; wait = Math.min(2 * wait, LONGEST_WAIT_SECONDS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error)) throw error;
      if (secondsSince(startedAt, { clock }) + wait > RETRY_SECONDS) {
        // The service's own bucket does not respond.
        if (error instanceof PackFileUnavailable) throw error;
        throw new DestinationRefused({ step: 'unavailable', code: '' }, { cause: error });
      }
      await pause(wait);
    }
  }
}

function secondsSince(start: Timestamp, { clock }: Pick<CopyResultsPorts, 'clock'>): number {
  return millisecondsBetween(start, timestamp(clock())) / 1_000;
}

function isTransient(error: unknown): boolean {
  return (
    error instanceof TransientFailure || (error instanceof PackFileUnavailable && error.transient)
  );
}

/** A refusal is recorded, so that the batch's other copies are not tried. */
async function copyOrRecordRefusal(
  { copies }: CopyResultsPorts,
  batchId: BatchId,
  { requests }: CopyState,
  copy: () => Promise<Copying>,
): Promise<Copying> {
  try {
    return await copy();
  } catch (error) {
    if (!(error instanceof DestinationRefused)) throw error;
    const { failure } = error;
    await copies.recordFailure(batchId, failure, requests);
    return { kind: 'refused', step: failure.step, refusal: failure.code };
  }
}
