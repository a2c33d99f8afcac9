import { lookup } from 'node:dns/promises';
import ipaddr from 'ipaddr.js';

export interface ResolvedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Every address of a host; the system resolver, so that private zones resolve as they do elsewhere. */
export type Resolve = (host: string) => Promise<readonly ResolvedAddress[]>;

export const resolveBySystem: Resolve = async (host) => {
  if (ipaddr.isValid(host)) return [{ address: host, family: ipaddr.IPv4.isValid(host) ? 4 : 6 }];
  const found = await lookup(host, { all: true });
  return found.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }));
};
