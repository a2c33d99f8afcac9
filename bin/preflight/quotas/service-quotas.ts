import {
  paginateListAWSDefaultServiceQuotas,
  paginateListServiceQuotas,
  type ServiceQuota,
  ServiceQuotasClient,
} from '@aws-sdk/client-service-quotas';
import type { StageConfig } from '../../../lib/config/stage-config.ts';
import type { Connection } from '../../operator/stage-table.ts';
import type { Verdict } from '../finding.ts';

/** @returns the value applied to the account, else AWS's default; null if Service Quotas lists neither */
export async function readQuota(
  connection: Connection,
  ServiceCode: string,
  name: RegExp,
): Promise<number | null> {
  const client = new ServiceQuotasClient(connection);
  const find = (quotas: readonly ServiceQuota[]) =>
    quotas.find(({ QuotaName = '' }) => name.test(QuotaName))?.Value;
  for (const paginate of [paginateListServiceQuotas, paginateListAWSDefaultServiceQuotas]) {
    for await (const { Quotas = [] } of paginate({ client }, { ServiceCode })) {
      const value = find(Quotas);
      if (value !== undefined) return value;
    }
  }
  return null;
}

export function readMapRuns(connection: Connection): Promise<number | null> {
  return readQuota(connection, 'states', /open map run/i);
}

/** Step Functions: 1,000 per account, not adjustable; each running batch is one. */
const OPEN_MAP_RUNS = 1_000;

export function checkMapRuns(
  { runningBatches: { inAll } }: StageConfig,
  quota: number | null,
): Verdict {
  if (quota === null) {
    const usual = `not listed by Service Quotas; usually ${OPEN_MAP_RUNS}`;
    return { verdict: 'fine', says: `${usual}; the stage uses at most ${inAll}` };
  }
  if (quota >= inAll) return { verdict: 'fine', says: `${quota}; the stage uses at most ${inAll}` };
  return { verdict: 'raise', says: `${quota}; the stage runs up to ${inAll} batches at a time` };
}

/** State transitions have two quotas; this matches the rate, not the burst. */
const REFILL = /^(?=.*state ?transition)(?=.*refill)/i;

/** Of STANDARD state machines, per second. */
export function readTransitions(connection: Connection): Promise<number | null> {
  return readQuota(connection, 'states', REFILL);
}

/** Per second, in all but the three largest regions, which allow 5,000. */
const TRANSITIONS = 800;

export function checkTransitions(quota: number | null): Verdict {
  if (quota === null) {
    return {
      verdict: 'fine',
      says: `not listed by Service Quotas; usually ${TRANSITIONS} a second or more, fewer in new accounts`,
    };
  }
  if (quota >= TRANSITIONS) return { verdict: 'fine', says: `${quota} a second` };
  return {
    verdict: 'raise',
    says: `${quota} a second, but most accounts have ${TRANSITIONS}: jobs wait for each other. AWS raises it with use, or on request`,
  };
}
