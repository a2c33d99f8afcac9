import { type Clock, timestamp } from '../clock.ts';
import { API_KEY, type ApiKeys, digestOf, keyState } from './api-key.ts';
import type { Tenants } from './tenant.ts';

export type Authentication =
  | { readonly kind: 'tenant'; readonly tenant: string }
  | { readonly kind: 'disabled'; readonly tenant: string }
  /** No key, or none that is good now: the caller learns no more than that. */
  | { readonly kind: 'unknown' };

export interface AuthenticatePorts {
  readonly keys: ApiKeys;
  readonly tenants: Tenants;
  readonly clock: Clock;
}

export async function authenticate(ports: AuthenticatePorts, key: string): Promise<Authentication> {
  if (!API_KEY.test(key)) return { kind: 'unknown' };
  // Looked up by digest: nothing here compares the secret itself, so nothing leaks it by its time.
  const record = await ports.keys.find(digestOf(key));
  if (record === null || keyState(record, timestamp(ports.clock())) !== 'active') {
    return { kind: 'unknown' };
  }
  const { tenant } = record;
  return (await ports.tenants.isDisabled(tenant))
    ? { kind: 'disabled', tenant }
    : { kind: 'tenant', tenant };
}
