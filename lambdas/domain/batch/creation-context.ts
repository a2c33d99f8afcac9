import type { IdempotencyKeys, KnownCreation } from '../admission/idempotency.ts';
import {
  dayOf,
  isUsedUp,
  readTenantQuota,
  type TenantQuota,
  type TenantQuotaPorts,
} from '../admission/quota.ts';
import { type Clock, timestamp } from '../clock.ts';

export interface CreationContextPorts extends TenantQuotaPorts {
  readonly idempotencyKeys: IdempotencyKeys;
  readonly clock: Clock;
}

/** What is known about a creation before its body is read. */
export interface CreationContext {
  readonly tenant: string;
  readonly now: Date;
  readonly tenantQuota: TenantQuota;
  /** The creation stored under the idempotency key; null if there is no key or it is unused. */
  readonly known: KnownCreation | null;
}

/** @param key the idempotency key; null if the request has none */
export async function readCreationContext(
  ports: CreationContextPorts,
  tenant: string,
  key: string | null,
): Promise<CreationContext> {
  const now = ports.clock();
  const [tenantQuota, known] = await Promise.all([
    readTenantQuota(ports, tenant, dayOf(timestamp(now))),
    key === null ? null : ports.idempotencyKeys.find(tenant, key),
  ]);
  return { tenant, now, tenantQuota, known };
}

/**
 * Whether the tenant's quota rejects the creation, whatever its body contains. A known key may mean a repeat, which is
 * not charged.
 */
export function isRejectedBeforeBody({ known, tenantQuota }: CreationContext): boolean {
  return known === null && isUsedUp(tenantQuota.allowance);
}
