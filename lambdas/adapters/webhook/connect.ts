import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Exchange } from '../../domain/delivery/outcome.ts';
import { hostOf, portOf } from '../../domain/delivery/receiver-policy.ts';

/** The most addresses of a receiver that one attempt tries, so that a host name cannot be used to scan a network. */
export const MAX_ADDRESSES = 4;

export interface ConnectOptions {
  /** Certificates trusted in addition to the system's. */
  readonly trust?: string;
  readonly signal: AbortSignal;
  /** Milliseconds that the attempt has left. */
  readonly left: () => number;
}

export type Connection = { readonly kind: 'open'; readonly socket: Socket } | FailedExchange;

/**
 * Connects to one of these addresses, IPv4 first, because a function outside a VPC has no IPv6
 * (https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html). Nothing is sent before a connection is open,
 * so the next address may be tried after a failure.
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
    // The last address gets all of the remaining time. An earlier address leaves an equal share for each that follows.
    const withinMs = others === 0 ? null : options.left() / (others + 1);
    try {
      return { kind: 'open', socket: await connectTo(url, address, withinMs, options) };
    } catch (error) {
      options.signal.throwIfAborted();
      failures.push({ family, error });
    }
  }
  return chooseFailure(failures);
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
    const onSettled = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      onSettled();
      done(socket);
    });
    // This listener stays attached, because an unhandled error before the request would end the process.
    socket.on('error', (error) => {
      onSettled();
      fail(error);
    });
  });
}

function tcpSocket(url: URL, address: string): Socket {
  return connectTcp({ host: address, port: portOf(url) });
}

/** The certificate must match the URL's host, although the connection is to an IP address. */
function tlsSocket(url: URL, address: string, trust: string | undefined): Socket {
  const host = hostOf(url);
  return connectTls({
    host: address,
    port: portOf(url),
    // RFC 6066, section 3, allows a name without its final dot, but not an IP address.
    servername: isIP(host) === 0 ? host.replace(/\.$/, '') : '',
    ALPNProtocols: ['http/1.1'],
    ...(trust === undefined ? {} : { ca: trust }),
  });
}

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

/** Uses the system resolver, so that private zones resolve as usual. */
export const resolveBySystem: Resolve = async (host) => {
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family: family === 6 ? 6 : 4 }];
  const addresses = await lookup(host, { all: true });
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};

/** Error codes of Node's resolver (`getaddrinfo` and c-ares). */
const DNS_CODE = /^(ENOTFOUND|ENODATA|EAI_[A-Z]+|ESERVFAIL|ENONAME|EREFUSED)$/;

/** Error codes of Node's TLS and of OpenSSL's certificate verification (`X509_V_ERR_…`). */
const TLS_CODE =
  /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|INVALID_CA$|INVALID_PURPOSE$|HOSTNAME_MISMATCH$|PATH_LENGTH_)/;

/** Error codes that a connection to an IPv6 address may get on a host without IPv6. */
const NO_ROUTE_CODE = /^(ENETUNREACH|EHOSTUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT|ETIMEDOUT)$/;

type FailedExchange = Extract<Exchange, { readonly kind: 'failed' }>;

interface AddressFailure {
  readonly family: 4 | 6;
  readonly error: unknown;
}

/**
 * Chooses the failure to report: the one at the first, preferred address, or `ipv6` if there were only IPv6 addresses
 * and none was reachable.
 */
export function chooseFailure(failures: readonly AddressFailure[]): FailedExchange {
  const [first] = failures;
  if (first === undefined) return { kind: 'failed', cause: 'dns', detail: 'no address' };
  const codes = failures.map(({ error }) => codeOf(error));
  const unreachable = codes.every((code) => NO_ROUTE_CODE.test(code));
  const ipv6Only = unreachable && failures.every(({ family }) => family === 6);
  return {
    kind: 'failed',
    cause: ipv6Only ? 'ipv6' : classifyErrorCode(codeOf(first.error)),
    detail: [...new Set(codes)].join(', '),
  };
}

export function classifyFailure(error: unknown): FailedExchange {
  const code = codeOf(error);
  return { kind: 'failed', cause: classifyErrorCode(code), detail: code };
}

function classifyErrorCode(code: string): 'dns' | 'tls' | 'timeout' | 'connection' {
  if (DNS_CODE.test(code)) return 'dns';
  if (TLS_CODE.test(code)) return 'tls';
  return code === 'ETIMEDOUT' ? 'timeout' : 'connection';
}

function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string')
    return error.code;
  return error instanceof Error ? error.name : 'unknown';
}
