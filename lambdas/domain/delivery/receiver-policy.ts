import ipaddr from 'ipaddr.js';

/** What a deployment lets its webhooks reach. */
export interface ReceiverPolicy {
  readonly schemes: readonly ('https' | 'http')[];
  /** A port that receivers may not use is one that a probe of others' services can't reach. */
  readonly ports: 'any' | readonly number[];
  /** `allow` is for a deployment on one's own machine: it opens loopback and private networks. */
  readonly privateReceivers: 'refuse' | 'allow';
}

/** Ranges of `ipaddr.js` that a local deployment may send to. */
const LOCAL_RANGES: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'carrierGradeNat',
]);

/**
 * Metadata and credential services of clouds, refused in every deployment: some lie in ranges that a
 * local one may reach. AWS (instances, containers, pods; by IPv6 too), Google by IPv6, Alibaba,
 * Oracle, and Azure's host.
 */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(
  [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ].map((address) => bytesOf(ipaddr.parse(address))),
);

/**
 * Names that never leave a host or a private network: RFC 6761, RFC 6762, RFC 8375, ICANN 2024, and
 * `lan` by the habit of routers. A name of one label is completed by the resolver's search list.
 */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|lan|home\.arpa)$/;
const SINGLE_LABEL = /^[^.]*$/;

const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

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
  if (ipaddr.isValid(host)) return refuseAddress(host, policy);
  if (policy.privateReceivers === 'refuse' && isPrivateName(host)) {
    return `${host} is a name of a private network; the receiver must be on the public internet`;
  }
  return null;
}

/** WHATWG parsing leaves out the port that is the scheme's own. */
function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port);
  return protocol === 'https:' ? 443 : 80;
}

function isPrivateName(host: string): boolean {
  const name = host.replace(/\.+$/, '');
  return SINGLE_LABEL.test(name) || PRIVATE_NAME.test(name);
}

/** Why this IPv4 or IPv6 address can't be a receiver, or null. */
export function refuseAddress(address: string, policy: ReceiverPolicy): string | null {
  if (!ipaddr.isValid(address)) return `${address} is not an IP address`;
  const parsed = ipaddr.parse(address);
  if (METADATA_ADDRESSES.has(bytesOf(parsed))) {
    return `the address ${address} is a cloud's metadata service; the receiver must be on the public internet`;
  }
  const range = parsed.range();
  if (range === 'unicast' && isGlobal(parsed)) return null;
  if (policy.privateReceivers === 'allow' && LOCAL_RANGES.has(range)) return null;
  const kind = range === 'unicast' ? 'not globally routed' : `in the range ${wordsOf(range)}`;
  return `the address ${address} is ${kind}; the receiver must be on the public internet`;
}

/** The URL's host without the brackets of IPv6. WHATWG parsing has already turned decimal, octal and
 * hexadecimal spellings of IPv4 into dotted quads and has refused zone ids. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** IPv6 outside 2000::/3 (RFC 4291, section 2.4), as the old IPv4-compatible form, is not routed. */
function isGlobal(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_UNICAST_IPV6);
}

/** The same for every spelling of an address, zone or none. */
function bytesOf(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  return address.toByteArray().join(' ');
}

function wordsOf(range: string): string {
  return range.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
