import { type BlockIndex, isBlockIndex, parseBlockIndex } from '#engine/raster/cog/block-index.ts';
import { s3JobRequests } from '../../lambdas/adapters/s3/job-requests.ts';
import type { DeliveryBodies } from '../../lambdas/domain/delivery/body.ts';
import type { JobRequests } from '../../lambdas/domain/job/job-requests.ts';
import { measureArea, NO_AREA } from '../../lambdas/domain/job/planning/measured-area.ts';
import {
  jobGeometry,
  type NewJob,
  type StoredJob,
  storedJob,
} from '../../lambdas/domain/job/requested-job.ts';
import type { BlockStore } from '../../lambdas/domain/patch-batch/patch-batch.ts';
import type {
  BatchPredictionErrors,
  JobPredictionErrors,
} from '../../lambdas/domain/total/prediction-errors.ts';

export type SparseJob = Pick<NewJob, 'polygon' | 'year'> & Partial<NewJob>;

export interface RequestFiles extends JobRequests {
  /** Stores jobs like the creation of a batch, but also charges those outside the coverage of every model. */
  put(batchId: string, jobs: readonly SparseJob[]): Promise<void>;
  /** Objects by key, as the adapter writes them. */
  readonly objects: Map<string, Uint8Array>;
}

export function inMemoryRequests(): RequestFiles {
  const objects = new Map<string, Uint8Array>();
  const requests = s3JobRequests({
    async read(key, range) {
      const object = objects.get(key);
      if (object === undefined) throw new Error(`no ${key}`);
      return range === undefined
        ? object
        : object.subarray(range.offset, range.offset + range.length);
    },
    write: async (key, body) => void objects.set(key, Buffer.from(body)),
  });
  return {
    ...requests,
    objects,
    put: (batchId, jobs) => requests.write(batchId, jobs.map(toStoredJob)),
  };
}

export function withDefaults(job: SparseJob): NewJob {
  return { name: null, model: null, properties: null, ...job };
}

function toStoredJob(sparse: SparseJob): StoredJob {
  const job = withDefaults(sparse);
  const geometry = jobGeometry(job.polygon);
  return storedJob(
    job,
    geometry,
    geometry.kind === 'valid' ? measureArea(geometry.polygon) : NO_AREA,
  );
}

export interface BlockFiles extends BlockStore {
  readonly bytes: Map<string, Uint8Array>;
  readonly indexes: Map<string, string>;
}

export function inMemoryBlocks(): BlockFiles {
  const bytes = new Map<string, Uint8Array>();
  const indexes = new Map<string, string>();
  const ref = (batchId: string, jobIndex: number, idx: number) => `${batchId}/${jobIndex}/${idx}`;
  return {
    bytes,
    indexes,
    ref,
    async write(batchId, jobIndex, idx, block) {
      bytes.set(ref(batchId, jobIndex, idx), block.bytes.slice());
      indexes.set(ref(batchId, jobIndex, idx), JSON.stringify(block.index));
    },
    async copy(fromRef, toRef) {
      const block = bytes.get(fromRef);
      const index = indexes.get(fromRef);
      if (block === undefined || index === undefined) return false;
      if (!isBlockIndex(JSON.parse(index))) return false;
      bytes.set(toRef, block);
      indexes.set(toRef, index);
      return true;
    },
    async readIndex(batchId, jobIndex, idx): Promise<BlockIndex> {
      return parseBlockIndex(JSON.parse(indexes.get(ref(batchId, jobIndex, idx)) ?? 'null'));
    },
    async readInto(name, offset, into) {
      const block = bytes.get(name);
      const end = offset + into.length;
      if (block === undefined || end > block.length) throw new Error(`no ${name}`);
      into.set(block.subarray(offset, end));
    },
  };
}

export interface PredictionErrorFiles {
  readonly jobPredictionErrors: JobPredictionErrors;
  readonly batchPredictionErrors: BatchPredictionErrors;
}

export function inMemoryPredictionErrors(): PredictionErrorFiles {
  const jobs = new Map<string, Uint8Array>();
  const batches = new Map<string, Uint8Array>();
  return {
    jobPredictionErrors: {
      async write(batchId, jobIndex, bytes) {
        jobs.set(`${batchId}/${jobIndex}`, bytes.slice());
      },
      async read(batchId, jobIndex) {
        const bytes = jobs.get(`${batchId}/${jobIndex}`);
        if (bytes === undefined)
          throw new Error(`no prediction errors are stored for job ${jobIndex}`);
        return bytes;
      },
    },
    batchPredictionErrors: {
      async write(batchId, bytes) {
        if (!batches.has(batchId)) batches.set(batchId, bytes.slice());
      },
      read: async (batchId) => batches.get(batchId) ?? null,
    },
  };
}

/** Keeps the first body that is stored for an event. */
export function inMemoryDeliveryBodies(): DeliveryBodies {
  const bodies = new Map<string, Uint8Array>();
  return {
    read: async (_batchId, eventId) => bodies.get(eventId) ?? null,
    keep: async (_batchId, eventId, body) => {
      const kept = bodies.get(eventId) ?? body;
      bodies.set(eventId, kept);
      return kept;
    },
  };
}
