import type {
  Exchange,
  Receiver,
  WebhookRequest,
} from '../../../lambdas/domain/delivery/outcome.ts';

/**
 * A client's receiver that responds with the given status codes (the last one repeatedly) and records every request.
 */
export class RecordingReceiver implements Receiver {
  readonly received: WebhookRequest[] = [];
  private readonly statusCodes: number[];

  constructor(statusCodes: readonly number[]) {
    this.statusCodes = [...statusCodes];
  }

  async post(request: WebhookRequest): Promise<Exchange> {
    this.received.push(request);
    const [next = 200] = this.statusCodes;
    if (this.statusCodes.length > 1) this.statusCodes.shift();
    return { kind: 'responded', statusCode: next };
  }
}
