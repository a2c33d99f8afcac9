import type { Job } from 'soil-batch-client';
import type { Field } from '../fields/field-collection.ts';

/** One field and year, with what became of it. */
export interface ResultJob {
  readonly field: Field;
  readonly name: string;
  readonly year: number;
  /** The service's newest job for it; null if it has not been submitted. */
  readonly job: Job | null;
  readonly batchId: string | null;
  /** Its raster within the folder of results; null if it is not there. */
  readonly file: string | null;
}
