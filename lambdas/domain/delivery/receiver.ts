import type { Exchange } from './outcome.ts';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Port to the client's receiver. Never throws for a fault of the receiver or the network. */
export interface Receiver {
  post(request: WebhookRequest): Promise<Exchange>;
}
