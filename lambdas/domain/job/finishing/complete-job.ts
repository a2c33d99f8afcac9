import { timestamp } from '../../clock.ts';
import type { BatchId } from '../../identity.ts';
import {
  type AssembledRaster,
  type AssembleRasterPorts,
  assembleRaster,
} from './assemble-raster.ts';
import { type FinishJobPorts, finishJob, type JobFinish } from './finish-job.ts';

export type CompleteJobPorts = AssembleRasterPorts & FinishJobPorts;

export type JobCompletion =
  /** The raster is written and the job completed. */
  | ({
      readonly kind: 'assembled';
      readonly bytes: number;
    } & Omit<AssembledRaster, 'raster'>)
  | JobFinish;

/**
 * Writes a job's raster and completes the job, or fails a job that can have none. One step, because an
 * extra state of the state machine costs more than the work. Safe to repeat: the upload is registered
 * on the job, and the bytes are the same.
 */
export async function completeJob(
  ports: CompleteJobPorts,
  batchId: BatchId,
  index: number,
): Promise<JobCompletion> {
  const assembly = await assembleRaster(ports, batchId, index);
  switch (assembly.kind) {
    case 'nothing-to-do':
      return { kind: 'unchanged' };
    case 'not-predicted':
      return finishJob(ports, batchId, index, null);
    case 'assembled': {
      const at = timestamp(ports.clock());
      const { raster, ...assembled } = assembly;
      const completed = await ports.jobs.complete(batchId, index, at, raster);
      return completed === 'changed'
        ? { ...assembled, bytes: raster.bytes }
        : { kind: 'unchanged' };
    }
  }
}
