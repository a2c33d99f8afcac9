import { BlockList, isIP } from 'node:net';

/**
 * Address ranges that do not belong to public hosts: the IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC
 * 6890) and multicast. An address is named after the first range that contains it.
 */
const IPV4_RANGES = {
  unspecified: ['0.0.0.0/8'],
  broadcast: ['255.255.255.255/32'],
  multicast: ['224.0.0.0/4'],
  'link local': ['169.254.0.0/16'],
  loopback: ['127.0.0.0/8'],
  'carrier grade nat': ['100.64.0.0/10'],
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'],
  // Protocol assignments, documentation, 6to4 relays, benchmarks and unallocated space.
  reserved: [
    ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15'],
    ...['198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'],
  ],
  as112: ['192.175.48.0/24', '192.31.196.0/24'],
  amt: ['192.52.193.0/24'],
} as const;

const IPV6_RANGES = {
  unspecified: ['::/128'],
  loopback: ['::1/128'],
  'link local': ['fe80::/10'],
  'unique local': ['fc00::/7'],
  multicast: ['ff00::/8'],
  ipv4mapped: ['::ffff:0:0/96'],
  rfc6052: ['64:ff9b::/96', '64:ff9b:1::/48'],
  '6to4': ['2002::/16'],
  teredo: ['2001::/32'],
  // Protocol assignments (all of 2001::/23) and documentation.
  reserved: ['2001::/23', '2001:db8::/32', '3fff::/20'],
  as112: ['2620:4f:8000::/48'],
  // IANA assigns global unicast addresses only from 2000::/3 (Internet Protocol Version 6 Address Space registry).
  'not globally routed': ['::/3', '4000::/2', '8000::/1'],
} as const;

export type AddressRange = keyof typeof IPV4_RANGES | keyof typeof IPV6_RANGES;

const LISTS = { ipv4: listsOf(IPV4_RANGES, 'ipv4'), ipv6: listsOf(IPV6_RANGES, 'ipv6') } as const;

/** Returns null if the address is public. */
export function classifyAddress(address: string): AddressRange | null {
  const family = familyOf(address);
  const found = LISTS[family].find(([, list]) => list.check(withoutZone(address), family));
  return found?.[0] ?? null;
}

/** The returned predicate accepts addresses in any spelling and with any zone. */
export function isAnyOf(addresses: readonly string[]): (address: string) => boolean {
  // Two lists, because a single list would match an IPv4-mapped address as its IPv4 address.
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const address of addresses) {
    const family = familyOf(address);
    lists[family].addAddress(address, family);
  }
  return (address) => {
    const family = familyOf(address);
    return lists[family].check(withoutZone(address), family);
  };
}

type Family = 'ipv4' | 'ipv6';

function familyOf(address: string): Family {
  return isIP(withoutZone(address)) === 4 ? 'ipv4' : 'ipv6';
}

/** Removes the zone of an IPv6 address (RFC 4007, section 11), as in `fe80::1%eth0`. */
function withoutZone(address: string): string {
  return address.replace(/%.*$/, '');
}

function listsOf<Name extends AddressRange>(
  ranges: Readonly<Record<Name, readonly string[]>>,
  family: Family,
): readonly (readonly [Name, BlockList])[] {
  return (Object.entries(ranges) as [Name, readonly string[]][]).map(([name, subnets]) => {
    const list = new BlockList();
    for (const subnet of subnets) {
      const [network = '', bits] = subnet.split('/');
      list.addSubnet(network, Number(bits), family);
    }
    return [name, list];
  });
}
