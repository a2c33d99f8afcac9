import { type Clock, timestamp } from '../clock.ts';
import { API_KEY, type ApiKeys, digestOf, keyState } from './api-key.ts';
import { limitsOf, type TenantRecords } from './tenant.ts';

export type Authentication =
  | { readonly kind: 'tenant'; readonly tenant: string; readonly requestsPerMinute: number }
  | { readonly kind: 'disabled'; readonly tenant: string }
  /** No valid key; the caller learns no more. */
  | { readonly kind: 'unknown' };

export interface AuthenticatePorts {
  readonly keys: ApiKeys;
  readonly tenants: Pick<TenantRecords, 'find'>;
  readonly clock: Clock;
}

export async function authenticate(ports: AuthenticatePorts, key: string): Promise<Authentication> {
  if (!API_KEY.test(key)) return { kind: 'unknown' };
  // Looked up by its SHA-256, so no comparison here or in DynamoDB sees the key: timing reveals at most
  // digests, and nobody can find a key for a digest (second preimage, 2^256).
  const record = await ports.keys.find(digestOf(key));
  if (record === null || keyState(record, timestamp(ports.clock())) !== 'active') {
    return { kind: 'unknown' };
  }
  const { tenant } = record;
  const known = await ports.tenants.find(tenant);
  if (known !== null && known.disabledAt !== null) return { kind: 'disabled', tenant };
  return { kind: 'tenant', tenant, requestsPerMinute: limitsOf(known).requestsPerMinute };
}
