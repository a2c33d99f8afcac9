import type { IdempotencyKeys, KnownCreation } from '../admission/idempotency.ts';
import { dayOf, isUsedUp } from '../admission/quota.ts';
import { type Standing, type StandingPorts, standingOn } from '../admission/standing.ts';
import { type Clock, timestamp } from '../clock.ts';

export interface OpenCreationPorts extends StandingPorts {
  readonly idempotencyKeys: IdempotencyKeys;
  readonly clock: Clock;
}

/** What is known of a creation before its body is read. */
export interface Opening {
  readonly tenant: string;
  readonly now: Date;
  readonly standing: Standing;
  /** The creation that has the idempotency key; null when there is no key, or nobody has it. */
  readonly known: KnownCreation | null;
}

/** @param key under which the creation may be repeated; null when it names none */
export async function openCreation(
  ports: OpenCreationPorts,
  tenant: string,
  key: string | null,
): Promise<Opening> {
  const now = ports.clock();
  const [standing, known] = await Promise.all([
    standingOn(ports, tenant, dayOf(timestamp(now))),
    key === null ? null : ports.idempotencyKeys.find(tenant, key),
  ]);
  return { tenant, now, standing, known };
}

/**
 * Whether the tenant's quota refuses the creation, whatever its body holds. One under a known key
 * may be a repeat, which takes nothing.
 */
export function isRefusedUnread({ known, standing }: Opening): boolean {
  return known === null && isUsedUp(standing.allowance);
}
