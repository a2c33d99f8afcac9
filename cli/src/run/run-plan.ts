import type { FieldCollection } from '../fields/field-collection.ts';
import type { RunJob } from './run-job.ts';

/** What a run predicts. A folder holds one of these. */
export interface RunRequest {
  /** As given on the command line. */
  readonly inputPath: string;
  readonly fields: FieldCollection;
  readonly years: readonly number[];
  readonly nameField: string | null;
  readonly model: string | null;
  readonly baseUrl: string;
}

/** A batch that is to be created. */
export interface PlannedChunk {
  /** Index of its first job in the run. */
  readonly firstJob: number;
  readonly jobs: number;
  readonly idempotencyKey: string;
  /** The exact text of the request. */
  readonly body: string;
}

export interface RunPlan {
  readonly runId: string;
  readonly jobs: readonly RunJob[];
  readonly chunks: readonly PlannedChunk[];
}
