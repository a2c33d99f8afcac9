import { setTimeout as sleep } from 'node:timers/promises';
import { PackFileUnavailable } from '#engine/model/pack/pack-files.ts';

/** With the waits below, under 4 s; the state machine retries longer outages. */
const ATTEMPTS = 5;

/** Retries transient failures with exponential backoff and full jitter. */
export async function retrying<T>(firstWaitMs: number, action: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await action();
    } catch (error) {
      const transient = error instanceof PackFileUnavailable && error.transient;
      if (!transient || attempt === ATTEMPTS) throw error;
      await sleep(Math.random() * firstWaitMs * 2 ** (attempt - 1));
    }
  }
}
