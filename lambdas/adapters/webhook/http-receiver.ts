import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import type { Exchange, Receiver, WebhookRequest } from '../../domain/delivery/outcome.ts';
import {
  hostOf,
  type ReceiverPolicy,
  refuseAddress,
  refuseReceiver,
} from '../../domain/delivery/receiver-policy.ts';
import { classifyFailure, connect, type Resolve, resolveBySystem } from './connect.ts';

export interface ReceiverOptions {
  readonly policy: ReceiverPolicy;
  readonly userAgent: string;
  /** Milliseconds from the DNS lookup to the last response header. */
  readonly responseTimeoutMs?: number;
  readonly resolve?: Resolve;
  /** Certificates trusted in addition to the system's. */
  readonly trust?: string;
}

export const RESPONSE_TIMEOUT_MS = 10_000;

/** A response body is read up to this size and for this time, so that the receiver can finish sending a short one. */
const DRAIN_BYTES = 64 * 1024;
const DRAIN_MS = 1_000;

/**
 * Sends over a new connection to an address that was resolved and checked once, so DNS rebinding has no effect.
 * Redirects are not followed.
 */
export function httpReceiver(options: ReceiverOptions): Receiver {
  const resolve = options.resolve ?? resolveBySystem;
  return {
    async post(message) {
      const refusal = refuseReceiver(message.url, options.policy);
      if (refusal !== null) return { kind: 'refused', reason: refusal };
      const url = new URL(message.url);
      const late = deadline(options.responseTimeoutMs ?? RESPONSE_TIMEOUT_MS);
      try {
        return await Promise.race([exchange(url, message, options, resolve, late), late.over]);
      } catch (error) {
        return classifyFailure(error);
      } finally {
        late.cancel();
      }
    },
  };
}

async function exchange(
  url: URL,
  message: WebhookRequest,
  options: ReceiverOptions,
  resolve: Resolve,
  { signal, left }: Deadline,
): Promise<Exchange> {
  const addresses = await resolve(hostOf(url));
  // One forbidden address rules out the host name, because the connection may go to any of its addresses.
  for (const { address } of addresses) {
    const refusal = refuseAddress(address, options.policy);
    if (refusal !== null) return { kind: 'refused', reason: refusal };
  }
  signal.throwIfAborted();
  const { trust } = options;
  const connection = await connect(url, addresses, {
    signal,
    left,
    ...(trust === undefined ? {} : { trust }),
  });
  if (connection.kind === 'failed') return connection;
  return send(url, message, options, connection.socket, signal);
}

function send(
  url: URL,
  message: WebhookRequest,
  options: ReceiverOptions,
  socket: Socket,
  signal: AbortSignal,
): Promise<Exchange> {
  return new Promise((done, fail) => {
    const request = open(url, {
      method: 'POST',
      headers: {
        ...message.headers,
        'User-Agent': options.userAgent,
        'Content-Length': message.body.byteLength,
      },
      createConnection: () => socket,
    });
    const abort = () => request.destroy();
    signal.addEventListener('abort', abort, { once: true });
    request.once('response', (response) => {
      signal.removeEventListener('abort', abort);
      drain(request, response);
      done(toExchange(response));
    });
    // Status 101 switches protocols, and no other response follows.
    request.once('upgrade', (response, socket) => {
      socket.destroy();
      done(toExchange(response));
    });
    // This listener stays attached: errors after the headers do not change the outcome.
    request.on('error', fail);
    request.end(message.body);
  });
}

function open(url: URL, options: Parameters<typeof httpsRequest>[1]): ClientRequest {
  return url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
}

/** Status codes start at 100 (RFC 9110, section 15), but Node also accepts smaller numbers. */
function toExchange({ statusCode = 0 }: IncomingMessage): Exchange {
  if (statusCode >= 100) return { kind: 'responded', statusCode };
  return { kind: 'failed', cause: 'connection', detail: `status ${statusCode}` };
}

function drain(request: ClientRequest, response: IncomingMessage): void {
  let bytes = 0;
  const cut = setTimeout(() => request.destroy(), DRAIN_MS);
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > DRAIN_BYTES) request.destroy();
  });
  response.on('error', () => undefined);
  response.once('close', () => clearTimeout(cut));
}

interface Deadline {
  readonly signal: AbortSignal;
  /** Resolves with a timeout failure when the time is up. */
  readonly over: Promise<Exchange>;
  /** In milliseconds. */
  readonly left: () => number;
  readonly cancel: () => void;
}

/** Limits the time up to the response headers: DNS lookup, connections, TLS, sending and waiting. */
function deadline(ms: number): Deadline {
  const end = performance.now() + ms;
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<Exchange>((resolve) => {
    timer = setTimeout(() => {
      controller.abort();
      resolve({ kind: 'failed', cause: 'timeout', detail: `${ms / 1000} s` });
    }, ms);
  });
  return {
    signal: controller.signal,
    over,
    left: () => end - performance.now(),
    cancel: () => clearTimeout(timer),
  };
}
