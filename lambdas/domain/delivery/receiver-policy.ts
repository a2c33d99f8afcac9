import { isIP } from 'node:net';
import { type AddressRange, isAnyOf, rangeOf } from './address-range.ts';

/** What a deployment lets its webhooks reach. */
export interface ReceiverPolicy {
  readonly schemes: readonly ('https' | 'http')[];
  /** A port that receivers may not use is one that a probe of others' services can't reach. */
  readonly ports: 'any' | readonly number[];
  /** `allow` is for a deployment on one's own machine: it opens loopback and private networks. */
  readonly privateReceivers: 'refuse' | 'allow';
}

/** Ranges that a local deployment may send to. */
const LOCAL_RANGES: ReadonlySet<AddressRange> = new Set([
  'loopback',
  'private',
  'unique local',
  'carrier grade nat',
]);

/**
 * Metadata and credential services of clouds, refused in every deployment: some lie in ranges that a
 * local one may reach. AWS (instances, containers, pods; by IPv6 too), Google by IPv6, Alibaba,
 * Oracle, and Azure's host.
 */
const isMetadataService = isAnyOf([
  '169.254.169.254',
  '169.254.170.2',
  '169.254.170.23',
  'fd00:ec2::254',
  'fd00:ec2::23',
  'fd20:ce::254',
  '100.100.100.200',
  '192.0.0.192',
  '168.63.129.16',
]);

/**
 * Names that never leave a host or a private network: RFC 6761, RFC 6762, RFC 8375, ICANN 2024, and
 * `lan` by the habit of routers. A name of one label is completed by the resolver's search list.
 */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;
const SINGLE_LABEL = /^[^.]*$/;

/**
 * Why this URL can't be a receiver, as a text for a person, or null. Judges what can be seen without
 * a look-up (at creation, so that the client learns at once); addresses that a name resolves to are
 * judged by {@link refuseAddress} at each attempt.
 */
export function refuseReceiver(text: string, policy: ReceiverPolicy): string | null {
  const url = parseUrl(text);
  if (url === null) return 'it is not an absolute URL';
  const scheme = url.protocol.slice(0, -1);
  if (!policy.schemes.some((allowed) => allowed === scheme)) {
    return `its scheme is ${scheme}; allowed: ${policy.schemes.join(', ')}`;
  }
  if (url.username !== '' || url.password !== '') return 'it carries credentials';
  const port = portOf(url);
  if (policy.ports !== 'any' && !policy.ports.includes(port)) {
    return `its port is ${port}; allowed: ${policy.ports.join(', ')}`;
  }
  const host = hostOf(url);
  if (isIP(host) !== 0) return refuseAddress(host, policy);
  if (policy.privateReceivers === 'refuse' && isPrivateName(host)) {
    return `${host} is a name of a private network; the receiver must be on the public internet`;
  }
  return null;
}

/** WHATWG parsing leaves out the port that is the scheme's own. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function isPrivateName(host: string): boolean {
  const name = host.replace(/\.+$/, '');
  return SINGLE_LABEL.test(name) || PRIVATE_NAME.test(name);
}

/** Why this IPv4 or IPv6 address can't be a receiver, or null. */
export function refuseAddress(address: string, policy: ReceiverPolicy): string | null {
  if (isIP(address) === 0) return `${address} is not an IP address`;
  if (isMetadataService(address)) {
    return `the address ${address} is a cloud's metadata service; the receiver must be on the public internet`;
  }
  const range = rangeOf(address);
  if (range === null) return null;
  if (policy.privateReceivers === 'allow' && LOCAL_RANGES.has(range)) return null;
  const kind = range === 'not globally routed' ? range : `in the range ${range}`;
  return `the address ${address} is ${kind}; the receiver must be on the public internet`;
}

/** The URL's host without the brackets of IPv6. WHATWG parsing has already turned decimal, octal and
 * hexadecimal spellings of IPv4 into dotted quads and has refused zone ids. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
