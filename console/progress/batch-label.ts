import type { BatchStatus } from 'soil-batch-client';
import { type Child, h } from '../element.ts';
import { timeText } from '../numbers.ts';
import { TEXTS } from '../texts.ts';

/** What a user calls a batch: its name, or what it has and when it was made. */
export function labelOf({
  name,
  total_jobs: jobs,
  created_at: created,
}: Pick<BatchStatus, 'name' | 'total_jobs' | 'created_at'>): Child {
  return name === null ? TEXTS.progress.unnamed(jobs, timeText(created)) : h('bdi', {}, name);
}
