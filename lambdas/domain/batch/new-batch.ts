import type { JobEntry, JobParts } from '../job/job-requests.ts';
import type { MeasuredArea } from '../job/planning/measured-area.ts';

/** A parsed request for a batch. */
export interface NewBatch {
  readonly jobs: {
    /** The JSON text of `jobs` exactly as sent. */
    readonly text: Uint8Array;
    readonly entries: readonly NewJob[];
  };
  readonly name: string | null;
  /** Exact JSON text; null = none. */
  readonly metadata: string | null;
  /** `id` or `id@version`, for jobs that name no model. */
  readonly model: string | null;
  readonly webhook: NewWebhook | null;
}

/** One job of the request, with its polygon as sent, not validated. */
export interface NewJob extends Omit<JobEntry, keyof MeasuredArea | 'parts'> {
  /** With the coordinates of any geometry. */
  readonly parts: JobParts;
  readonly polygon: unknown;
}

export interface NewWebhook {
  readonly url: string;
  /** In plain text only in memory, until it is encrypted. */
  readonly secret: string | null;
  readonly jobs: 'full' | 'none';
}
