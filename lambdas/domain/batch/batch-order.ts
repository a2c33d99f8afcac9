import type { JobEntry } from '../job/job-requests.ts';
import type { MeasuredArea } from '../job/measured-area.ts';

/** A well-formed request for a batch: what the client wants, in the domain's words. */
export interface BatchOrder {
  readonly jobs: {
    /** The text of `jobs` as sent, byte for byte. */
    readonly text: Uint8Array;
    readonly entries: readonly JobOrder[];
  };
  /** Exact JSON text; null = none given. */
  readonly metadata: string | null;
  /** `id` or `id@version`, for jobs that name none themselves. */
  readonly model: string | null;
  readonly webhook: WebhookOrder | null;
}

/** One job as ordered: what is kept of it, and its polygon as sent, unchecked. */
export interface JobOrder extends Omit<JobEntry, keyof MeasuredArea> {
  readonly polygon: unknown;
}

export interface WebhookOrder {
  readonly url: string;
  /** In the clear only in memory, on its way to encryption. */
  readonly secret: string | null;
  readonly jobs: 'full' | 'none';
}
