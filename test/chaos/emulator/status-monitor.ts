import { setTimeout as pause } from 'node:timers/promises';
import type { SoilClient } from 'soil-batch-client';
import type { Status } from './client.ts';

/** The pause before each request, so that the load does not grow with the number of batches. */
const POLL_INTERVAL_MS = 50;

/** Polls the batches in turn, and records if a count falls, counts do not add up, or a final batch ends again. */
export class StatusMonitor {
  readonly violations: string[] = [];
  private readonly client: SoilClient;
  private readonly latest = new Map<string, Status | null>();
  private readonly waiters = new Map<string, () => void>();

  constructor(client: SoilClient) {
    this.client = client;
  }

  /** @returns the batch with its jobs, once a poll has found it final */
  async untilFinal(batchId: string): Promise<Status> {
    this.latest.set(batchId, null);
    await new Promise<void>((ended) => this.waiters.set(batchId, ended));
    return this.client.batch(batchId).status({ jobs: 'all' });
  }

  async poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(POLL_INTERVAL_MS);
      for (const [batchId, before] of this.latest) {
        const now = await this.client.batch(batchId).status();
        this.violations.push(...findViolations(before, now).map((what) => `${batchId}: ${what}`));
        this.latest.set(batchId, now);
        if (now.completed_at !== null) this.waiters.get(batchId)?.();
        await pause(POLL_INTERVAL_MS);
      }
    }
  }
}

function findViolations(before: Status | null, now: Status): readonly string[] {
  const { completed_jobs, failed_jobs, pending_jobs, total_jobs } = now;
  const violations = completed_jobs + failed_jobs + pending_jobs === total_jobs ? [] : ['sum'];
  if (before === null) return violations;
  if (completed_jobs < before.completed_jobs || failed_jobs < before.failed_jobs) {
    violations.push('a count fell');
  }
  if (before.completed_at !== null && now.completed_at !== before.completed_at) {
    violations.push('ended twice');
  }
  return violations;
}
