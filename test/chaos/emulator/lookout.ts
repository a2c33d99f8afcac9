import { setTimeout as pause } from 'node:timers/promises';
import type { PatientClient, Status } from './client.ts';

/** Between one look and the next: a client's load, however many batches there are. */
const BETWEEN_LOOKS_MS = 50;

/** Looks at one batch after another, again and again, those that are final too. */
export class Lookout {
  /** What went back or did not add up, each in words. */
  readonly wrong: string[] = [];
  private readonly client: PatientClient;
  private readonly seen = new Map<string, Status | null>();
  private readonly awaited = new Map<string, () => void>();

  constructor(client: PatientClient) {
    this.client = client;
  }

  /** @returns the batch with its jobs, once a look has found it final */
  async untilFinal(batchId: string): Promise<Status> {
    this.seen.set(batchId, null);
    await new Promise<void>((ended) => this.awaited.set(batchId, ended));
    return this.client.status(batchId);
  }

  async look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(BETWEEN_LOOKS_MS);
      for (const [batchId, before] of this.seen) {
        const now = await this.client.status(batchId, 'none');
        this.wrong.push(...wrongIn(before, now).map((what) => `${batchId}: ${what}`));
        this.seen.set(batchId, now);
        if (now.completed_at !== null) this.awaited.get(batchId)?.();
        await pause(BETWEEN_LOOKS_MS);
      }
    }
  }
}

function wrongIn(before: Status | null, now: Status): readonly string[] {
  const { completed_jobs, failed_jobs, pending_jobs, total_jobs } = now;
  const wrong = completed_jobs + failed_jobs + pending_jobs === total_jobs ? [] : ['sum'];
  if (before === null) return wrong;
  if (completed_jobs < before.completed_jobs || failed_jobs < before.failed_jobs) {
    wrong.push('a count fell');
  }
  if (before.completed_at !== null && now.completed_at !== before.completed_at) {
    wrong.push('ended twice');
  }
  return wrong;
}
