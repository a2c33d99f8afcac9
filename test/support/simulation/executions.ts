import type { BatchRunner } from '../../../lambdas/domain/batch/batch.ts';
import { type BatchId, formatRunName } from '../../../lambdas/domain/identity.ts';

export interface Execution {
  readonly name: string;
  readonly batchId: BatchId;
  readonly totalJobs: number;
  state: 'waiting' | 'running' | 'ended';
  /** Whether the execution was stopped, so that no further step starts. */
  stopped: boolean;
  /** Whether the versions of the functions that it invokes were deleted. */
  rolledBack: boolean;
}

/** Executions by name. As in Step Functions, a name can be used only once. */
export class Executions implements BatchRunner {
  readonly all = new Map<string, Execution>();

  async start(batchId: BatchId, totalJobs: number, restarts = 0): Promise<void> {
    const name = formatRunName(batchId, restarts);
    if (this.all.has(name)) return;
    this.all.set(name, {
      name,
      batchId,
      totalJobs,
      state: 'waiting',
      stopped: false,
      rolledBack: false,
    });
  }

  async state(batchId: BatchId, restarts = 0): Promise<'absent' | 'running' | 'ended'> {
    const execution = this.all.get(formatRunName(batchId, restarts));
    if (execution === undefined) return 'absent';
    return execution.stopped || execution.state === 'ended' ? 'ended' : 'running';
  }

  async stop(batchId: BatchId, restarts = 0): Promise<'stopped' | 'absent'> {
    const execution = this.all.get(formatRunName(batchId, restarts));
    if (execution === undefined) return 'absent';
    execution.stopped = true;
    return 'stopped';
  }

  waiting(): Execution | undefined {
    return [...this.all.values()].find(({ state }) => state === 'waiting');
  }
}
