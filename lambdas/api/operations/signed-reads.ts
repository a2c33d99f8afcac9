import type { ReadBatchPorts } from '../../domain/batch/read-batch.ts';
import type { ReadJobPorts } from '../../domain/job/reading/read-job.ts';
import type { CursorKey } from '../contract/cursor-key.ts';
import type { OperationOf } from '../http/handle.ts';
import { batchStatusOperation } from './batch/batch-status.ts';
import { jobStatusOperation } from './job/job-status.ts';
import { type ResultPorts, resultOperation } from './job/result.ts';
import type { ServedBy } from './table.ts';

export type SignedReadPorts = ReadBatchPorts & ReadJobPorts & ResultPorts & CursorKey;

/** The operations of the function `signed-reads`: their responses carry signed URLs. */
export const SIGNED_READS = {
  'batch-status': batchStatusOperation,
  result: resultOperation,
  'job-status': jobStatusOperation,
} as const satisfies Readonly<Record<ServedBy<'signed-reads'>, OperationOf<SignedReadPorts>>>;
