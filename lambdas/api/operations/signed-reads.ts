import type { ReadBatchPorts } from '../../domain/batch/read-batch.ts';
import type { ReadJobPorts } from '../../domain/job/reading/read-job.ts';
import type { CursorKey } from '../contract/cursor-key.ts';
import { batchStatusOperation, batchStatusSpecification } from './batch/batch-status.ts';
import type { Described } from './described.ts';
import { jobStatusOperation, jobStatusSpecification } from './job/job-status.ts';
import { type ResultPorts, resultOperation, resultSpecification } from './job/result.ts';
import type { ServedBy } from './table.ts';

export type SignedReadPorts = ReadBatchPorts & ReadJobPorts & ResultPorts & CursorKey;

/** The operations of the function `signed-reads`: their responses carry signed URLs. */
export const SIGNED_READS = {
  'batch-status': { operation: batchStatusOperation, specification: batchStatusSpecification },
  result: { operation: resultOperation, specification: resultSpecification },
  'job-status': { operation: jobStatusOperation, specification: jobStatusSpecification },
} as const satisfies Readonly<Record<ServedBy<'signed-reads'>, Described<SignedReadPorts>>>;
