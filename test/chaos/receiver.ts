import type { Exchange } from '../../lambdas/domain/delivery/outcome.ts';
import type { Receiver, WebhookRequest } from '../../lambdas/domain/delivery/receiver.ts';

/** A client's receiver that answers as told, the last answer for ever, and remembers every request. */
export class RememberingReceiver implements Receiver {
  readonly received: WebhookRequest[] = [];
  private readonly answers: number[];

  constructor(answers: readonly number[]) {
    this.answers = [...answers];
  }

  async post(request: WebhookRequest): Promise<Exchange> {
    this.received.push(request);
    const [next = 200] = this.answers;
    if (this.answers.length > 1) this.answers.shift();
    return { kind: 'responded', statusCode: next };
  }
}
