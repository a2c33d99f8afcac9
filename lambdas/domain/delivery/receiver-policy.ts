import ipaddr from 'ipaddr.js';

/** What a deployment lets its webhooks reach. */
export interface ReceiverPolicy {
  readonly schemes: readonly ('https' | 'http')[];
  /** `allow` is for a deployment on one's own machine: it opens loopback and private networks. */
  readonly privateReceivers: 'refuse' | 'allow';
}

/** Ranges of `ipaddr.js` that a local deployment may send to; metadata services are in none. */
const LOCAL_RANGES: ReadonlySet<string> = new Set([
  'loopback',
  'private',
  'uniqueLocal',
  'carrierGradeNat',
]);

/** Names that never leave a host or a private network: RFC 6761, RFC 6762, ICANN 2024. */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal)\.?$/;

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
  const host = hostOf(url);
  if (ipaddr.isValid(host)) return refuseAddress(host, policy);
  if (policy.privateReceivers === 'refuse' && PRIVATE_NAME.test(host)) {
    return `${host} is a name of a private network; the receiver must be on the public internet`;
  }
  return null;
}

/** Why this IPv4 or IPv6 address can't be a receiver, or null. */
export function refuseAddress(address: string, policy: ReceiverPolicy): string | null {
  if (!ipaddr.isValid(address)) return `${address} is not an IP address`;
  const parsed = ipaddr.parse(address);
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
