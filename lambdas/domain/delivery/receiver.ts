import type { Exchange } from './outcome.ts';

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Port to the client's receiver. Never throws for anything the receiver or the network does. */
export interface Receiver {
  post(request: WebhookRequest): Promise<Exchange>;
}
