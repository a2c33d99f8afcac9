import { describe, expect, it } from 'vitest';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import { reconcile } from '../../../lambdas/domain/reconcile/reconcile.ts';
import { logRunning } from '../../../lambdas/observability/log-running.ts';
import { completedJob, failedJob, processingJob } from '../../support/api/job-records.ts';
import {
  batch,
  DONE,
  IN_TIME,
  makeWaitingBatch,
  makeWorld,
  NOW,
  PROCESSING,
} from './reconcile-world.ts';

async function writeLines(given: Parameters<typeof makeWorld>[0]) {
  const { ports } = await makeWorld({ ...given, runs: { 'b-1': 'running' } });
  const lines: object[] = [];
  const onRunning = logRunning(ports.clock, (_level, event, fields) =>
    lines.push({ event, ...fields }),
  );
  await reconcile({ ...ports, onRunning }, IN_TIME);
  return lines;
}

describe('the log lines about running batches', () => {
  it('have the tenant, jobs and patch-batches of each batch', async () => {
    const jobs = [completedJob(0), failedJob(1), processingJob(2, 5, 3)];
    const running = { ...batch('b-1', 300, PROCESSING), total_jobs: 4 };
    expect(await writeLines({ batches: [running], jobs })).toEqual([
      {
        event: 'running',
        tenant: 'farm',
        batch_id: 'b-1',
        outcome: 'processing',
        since: addSeconds(NOW, -300),
        completed_jobs: 1,
        failed_jobs: 1,
        total_jobs: 4,
        completed_patch_batches: 2 + 3,
        duration_ms: 300_000,
      },
    ]);
  });

  it('show the patch-batches of a batch with one job', async () => {
    const jobs = [processingJob(0, 400, 120)];
    const running = { ...batch('b-1', 300, PROCESSING), total_jobs: 1 };
    expect(await writeLines({ batches: [running], jobs })).toMatchObject([
      { completed_jobs: 0, total_jobs: 1, completed_patch_batches: 120 },
    ]);
  });

  it('state the time since a batch got its slot, however many hours', async () => {
    const slotClaimedAt = addSeconds(NOW, -6 * 3_600);
    const running = { ...batch('b-1', 9 * 3_600, PROCESSING), slot_claimed_at: slotClaimedAt };
    expect(await writeLines({ batches: [running] })).toMatchObject([
      { since: slotClaimedAt, duration_ms: 6 * 3_600_000 },
    ]);
  });

  it('omit batches that wait, are being cancelled, or have ended', async () => {
    const cancelRequestedAt = addSeconds(NOW, -60);
    const batches = [
      makeWaitingBatch('b-1', 300),
      { ...batch('b-2', 300, PROCESSING), cancel_requested_at: cancelRequestedAt },
      batch('b-3', 300, { ...DONE, status: 'partial' }),
    ];
    expect(await writeLines({ batches })).toEqual([]);
  });
});
