import * as z from 'zod/mini';
import type { BatchId } from '../../domain/identity.ts';
import { type JobEntry, type JobRequests, jobEntry } from '../../domain/job/job-requests.ts';
import { type RequestedJob, requestedJob, type StoredJob } from '../../domain/job/requested-job.ts';
import { memoize } from '../memoized.ts';
import type { Objects } from './objects.ts';

const jobsKey = (batchId: BatchId): string => `requests/${batchId}.jsonl`;
const indexKey = (batchId: BatchId): string => `requests/${batchId}.index.json`;

/** Stores client requests in the work bucket: `requests/<batch>.jsonl`, one job per line, and an index of its lines. */
export function s3JobRequests(objects: Objects): JobRequests {
  const readIndex = async (batchId: BatchId): Promise<readonly JobEntry[]> => {
    const index = parseJson(await objects.read(indexKey(batchId)));
    return z.array(jobEntry).parse(index);
  };
  // Caches the last index: an index never changes, and a warm function often runs several steps of one batch.
  let last = { batchId: '', entries: async (): Promise<readonly JobEntry[]> => [] };
  return {
    async write(batchId, jobs) {
      const { lines, entries } = encodeJobs(jobs);
      await Promise.all([
        objects.write(jobsKey(batchId), lines),
        objects.write(indexKey(batchId), JSON.stringify(entries)),
      ]);
    },
    entries(batchId) {
      if (last.batchId !== batchId) last = { batchId, entries: memoize(() => readIndex(batchId)) };
      return last.entries();
    },
    async job(batchId, range) {
      return parsedJob(await objects.read(jobsKey(batchId), range));
    },
    async jobs(batchId) {
      const lines = await objects.read(jobsKey(batchId));
      return ({ offset, length }) => parsedJob(lines.subarray(offset, offset + length));
    },
  };
}

function encodeJobs(jobs: readonly StoredJob[]) {
  const lines = jobs.map(({ job }) => Buffer.from(`${JSON.stringify(requestedJob.parse(job))}\n`));
  let end = 0;
  const entries = jobs.map(({ head }, index): JobEntry => {
    const length = lines[index]?.length ?? 0;
    end += length;
    return jobEntry.parse({ ...head, offset: end - length, length });
  });
  return { lines: Buffer.concat(lines), entries };
}

const parsedJob = (line: Uint8Array): RequestedJob => requestedJob.parse(parseJson(line));
const parseJson = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));
