import { isIP } from 'node:net';
import { type AddressRange, classifyAddress, isAnyOf } from './address-range.ts';

/** `web` stands for 80, 443 and all ports from 1,024 on, so for no other system port (RFC 6335, section 6). */
export type AllowedPorts = 'any' | 'web' | readonly number[];

export interface ReceiverPolicy {
  readonly schemes: readonly ('https' | 'http')[];
  readonly ports: AllowedPorts;
  /** `allow` is for local deployments: it permits loopback and private networks. */
  readonly privateReceivers: 'refuse' | 'allow';
}

const LOCAL_RANGES: ReadonlySet<AddressRange> = new Set([
  'loopback',
  'private',
  'unique local',
  'carrier grade nat',
]);

/**
 * Metadata and credential services of clouds: AWS (instances, containers, pods; also over IPv6), Google over IPv6,
 * Alibaba, Oracle and the Azure host. They are listed because some are public or in ranges that a local deployment may
 * reach.
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
 * Names that resolve only on a host or a private network: RFC 6761, RFC 6762, RFC 8375, ICANN 2024, and `lan` by router
 * convention. The resolver's search list completes single-label names.
 */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;
const SINGLE_LABEL = /^[^.]*$/;

/**
 * Returns why this URL cannot be a receiver, or null. It does no DNS lookup; {@link refuseAddress} checks the resolved
 * addresses at each attempt.
 */
export function refuseReceiver(text: string, policy: ReceiverPolicy): string | null {
  const url = parseUrl(text);
  if (url === null) return 'it is not an absolute URL';
  const scheme = url.protocol.slice(0, -1);
  if (!policy.schemes.some((allowed) => allowed === scheme)) {
    return `its scheme is ${scheme}; allowed: ${policy.schemes.join(', ')}`;
  }
  if (url.username !== '' || url.password !== '') return 'it contains credentials';
  const port = portOf(url);
  if (!allowsPort(policy.ports, port)) {
    const allowed = typeof policy.ports === 'string' ? WEB_PORTS : policy.ports.join(', ');
    return `its port is ${port}; allowed: ${allowed}`;
  }
  const host = hostOf(url);
  if (isIP(host) !== 0) return refuseAddress(host, policy);
  if (policy.privateReceivers === 'refuse' && isPrivateName(host)) {
    return `${host} is a private network name; the receiver must be on the public internet`;
  }
  return null;
}

const WEB_PORTS = '80, 443 and 1024 or higher';

function allowsPort(ports: AllowedPorts, port: number): boolean {
  if (ports === 'any') return true;
  return ports === 'web' ? port === 80 || port === 443 || port >= 1_024 : ports.includes(port);
}

/** WHATWG parsing omits the scheme's default port. */
export function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function isPrivateName(host: string): boolean {
  const name = host.replace(/\.+$/, '');
  return SINGLE_LABEL.test(name) || PRIVATE_NAME.test(name);
}

/** Returns why this IPv4 or IPv6 address cannot be a receiver, or null. */
export function refuseAddress(address: string, policy: ReceiverPolicy): string | null {
  if (isIP(address) === 0) return `${address} is not an IP address`;
  if (isMetadataService(address)) {
    return `the address ${address} is a cloud's metadata service; the receiver must be on the public internet`;
  }
  const range = classifyAddress(address);
  if (range === null) return null;
  if (policy.privateReceivers === 'allow' && LOCAL_RANGES.has(range)) return null;
  const kind = range === 'not globally routed' ? range : `in the range ${range}`;
  return `the address ${address} is ${kind}; the receiver must be on the public internet`;
}

/**
 * Returns the URL's host without the brackets of IPv6. WHATWG parsing has already converted decimal, octal and
 * hexadecimal IPv4 addresses to dotted quads and rejected zone IDs.
 */
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
