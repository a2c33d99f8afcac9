import * as z from 'zod/mini';
import {
  type Allowance,
  type Amount,
  dayOf,
  inHectares,
  readAllowance,
  remainingOf,
  type TenantQuotaPorts,
} from '../../domain/admission/quota.ts';
import { type Clock, timestamp } from '../../domain/clock.ts';
import { time } from '../../domain/wire.ts';
import type { OperationDefinition } from '../definition.ts';
import type { Operation } from '../http/handle.ts';
import { readQuery } from '../http/query.ts';
import { tenantOf } from '../http/request.ts';
import { revalidated } from '../http/response.ts';
import { named } from '../specification/published.ts';
import usage from './examples/usage.json' with { type: 'json' };

const amounts = (unit: z.ZodMiniType<number>, what: string) =>
  z.strictObject({
    limit: unit.check(z.describe(`${what} per day`)),
    used: unit.check(z.describe('Charged today, minus refunds')),
    remaining: unit.check(z.describe('Still available today')),
    given_back: unit.check(
      z.describe(
        'Part of today’s charge that was refunded, for jobs that failed because of the service or were cancelled before they were planned',
      ),
    ),
  });

export const usageResponse = named(
  'Usage',
  z.strictObject({
    day: z.iso.date().check(z.describe('Today, in UTC')),
    resets_at: time.check(z.describe('When the quota resets: midnight UTC')),
    jobs: amounts(z.int().check(z.nonnegative()), 'Jobs'),
    hectares: amounts(z.number().check(z.nonnegative()), 'Charged hectares'),
  }),
);

export type UsageResponse = z.infer<typeof usageResponse>;

export const usageDefinition = {
  operationId: 'getUsage',
  tag: 'Service',
  summary: 'Usage',
  description:
    'How much of today’s quota your tenant has used and how much is left. Creating a batch charges its jobs and their area; a job that is certain to fail is charged no area. Jobs that fail because of the service, or are cancelled before they were planned, are refunded when their batch ends, to the day that was charged; refunds for failures that a client can cause have a daily bound.',
  parameters: ['ifNoneMatch'],
  response: {
    status: 200,
    description: 'Today, in UTC',
    headers: ['ETag', 'Cache-Control'],
    content: { schema: usageResponse, example: usage },
  },
  problems: [],
} as const satisfies OperationDefinition;

export function usageOperation(ports: TenantQuotaPorts & { readonly clock: Clock }): Operation {
  return async (request) => {
    readQuery(request, []);
    const today = dayOf(timestamp(ports.clock()));
    const allowance = await readAllowance(ports, tenantOf(request), today);
    return revalidated(request, usageView(allowance));
  };
}

export function usageView(allowance: Allowance): UsageResponse {
  const { day, limit, used, refunded, resetsAt } = allowance;
  const remaining = remainingOf(allowance);
  const row = (read: (amount: Amount) => number) => ({
    limit: read(limit),
    used: read(used),
    remaining: read(remaining),
    given_back: read(refunded),
  });
  return {
    day,
    resets_at: resetsAt,
    jobs: row(({ jobs }) => jobs),
    hectares: row(({ squareMetres }) => inHectares(squareMetres)),
  };
}
