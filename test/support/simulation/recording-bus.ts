import type { BatchFinished } from '../../../lambdas/domain/delivery/batch-finished.ts';
import type { EventBus } from '../../../lambdas/domain/delivery/publish-event.ts';

export class RecordingBus implements EventBus {
  readonly received: BatchFinished[] = [];

  async put(detail: BatchFinished): Promise<void> {
    this.received.push(detail);
  }
}
