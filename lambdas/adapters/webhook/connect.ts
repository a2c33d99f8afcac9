import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { hostOf, portOf } from '../../domain/delivery/receiver-policy.ts';
import { type AddressFailure, type Failed, failureOf } from './failure.ts';
import type { ResolvedAddress } from './resolve.ts';

/** How many addresses of a receiver one attempt tries, so that a name cannot be used to scan a network. */
export const MAX_ADDRESSES = 4;

export interface ConnectOptions {
  /** Certificates trusted in addition to the system's. */
  readonly trust?: string;
  readonly signal: AbortSignal;
  /** Remaining milliseconds of the attempt. */
  readonly left: () => number;
}

export type Connection = { readonly kind: 'open'; readonly socket: Socket } | Failed;

/**
 * Connects to one of these addresses, IPv4 first: a function outside a VPC has no IPv6. The request is
 * sent only once the connection is open, with TLS if the URL requires it, so any earlier failure may be
 * retried at the next address. https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
 */
export async function connect(
  url: URL,
  addresses: readonly ResolvedAddress[],
  options: ConnectOptions,
): Promise<Connection> {
  const tried = addresses.toSorted((a, b) => a.family - b.family).slice(0, MAX_ADDRESSES);
  const failures: AddressFailure[] = [];
  for (const [index, { address, family }] of tried.entries()) {
    const others = tried.length - index - 1;
    // The last address gets all remaining time; each one before leaves the others an equal share.
    const withinMs = others === 0 ? null : options.left() / (others + 1);
    try {
      return { kind: 'open', socket: await connectTo(url, address, withinMs, options) };
    } catch (error) {
      options.signal.throwIfAborted();
      failures.push({ family, error });
    }
  }
  return failureOf(failures);
}

function connectTo(
  url: URL,
  address: string,
  withinMs: number | null,
  { trust, signal }: ConnectOptions,
): Promise<Socket> {
  return new Promise((done, fail) => {
    const secure = url.protocol === 'https:';
    const socket = secure ? tlsSocket(url, address, trust) : tcpSocket(url, address);
    const timer = withinMs === null ? undefined : setTimeout(giveUp, withinMs);
    function giveUp(): void {
      socket.destroy(Object.assign(new Error('connect'), { code: 'ETIMEDOUT' }));
    }
    const settled = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      settled();
      done(socket);
    });
    // Stays attached: without a listener, an error before the request would end the process.
    socket.on('error', (error) => {
      settled();
      fail(error);
    });
  });
}

function tcpSocket(url: URL, address: string): Socket {
  return connectTcp({ host: address, port: portOf(url) });
}

/** The certificate must match the URL's host, though the connection is to an IP address. */
function tlsSocket(url: URL, address: string, trust: string | undefined): Socket {
  const host = hostOf(url);
  return connectTls({
    host: address,
    port: portOf(url),
    // RFC 6066, section 3: a name without its final dot, and no IP address.
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    ALPNProtocols: ['http/1.1'],
    ...(trust === undefined ? {} : { ca: trust }),
  });
}
