import {
  type BatchRun,
  type BatchRunner,
  type RunInput,
  toCopyRunInput,
  toRunInput,
} from '../../../lambdas/domain/batch/batch.ts';
import {
  type BatchId,
  formatCopyRunName,
  formatRunName,
} from '../../../lambdas/domain/identity.ts';

export interface Execution {
  readonly name: string;
  readonly batchId: BatchId;
  readonly input: RunInput;
  state: 'waiting' | 'running' | 'ended';
  /** No further step starts in a stopped execution. */
  stopped: boolean;
  /** Whether the versions of the functions that it invokes were deleted. */
  rolledBack: boolean;
}

/** Executions by name. As in Step Functions, a name can be used only once. */
export class Executions implements BatchRunner {
  readonly all = new Map<string, Execution>();

  async start(run: BatchRun, restarts = 0): Promise<void> {
    this.startNamed(formatRunName(run.batch_id, restarts), toRunInput(run));
  }

  async startCopies(batchId: BatchId, request: number): Promise<void> {
    this.startNamed(formatCopyRunName(batchId, request), toCopyRunInput(batchId));
  }

  private startNamed(name: string, input: RunInput): void {
    if (this.all.has(name)) return;
    this.all.set(name, {
      name,
      batchId: input.batch_id,
      input,
      state: 'waiting',
      stopped: false,
      rolledBack: false,
    });
  }

  async state(name: string): Promise<'absent' | 'running' | 'ended'> {
    const execution = this.all.get(name);
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
