import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_TICKETS_MS,
  paceOf,
  type RequestPaces,
  requestsAtOnce,
  TICKET_VALID_MS,
} from '../../../lambdas/domain/admission/request-rate.ts';

const START = Date.parse('2026-03-01T10:00:00.000Z');
const PER_MINUTE = 60;
const PACE = paceOf(PER_MINUTE);

/** What every implementation of the port does, in memory or in a table. */
export function requestPacesContract(name: string, paces: RequestPaces, runs: number): void {
  const arriving = (tenant: string, moments: readonly number[], weight = 1) =>
    Promise.all(moments.map((moment) => paces.admit(tenant, PACE, START + moment, weight)));
  const admitted = (outcomes: readonly { readonly kind: string }[]) =>
    outcomes.filter(({ kind }) => kind === 'admitted').length;

  describe(`a tenant’s requests in ${name}`, () => {
    it('are admitted up to a full burst, in any order', async () => {
      const tenant = randomUUID();
      const outcomes = await arriving(tenant, Array(40).fill(0));
      expect(admitted(outcomes)).toBe(requestsAtOnce(PER_MINUTE));
      expect(outcomes.find(({ kind }) => kind === 'refused')).toEqual({
        kind: 'refused',
        due: START + PER_MINUTE * 1_000 * (requestsAtOnce(PER_MINUTE) / PER_MINUTE),
      });
    });

    it('are admitted one per interval after a burst, and in a burst after a pause', async () => {
      const tenant = randomUUID();
      await arriving(tenant, Array(40).fill(0));
      expect(admitted(await arriving(tenant, [999]))).toBe(0);
      expect(admitted(await arriving(tenant, [1_000, 1_000]))).toBe(1);
      expect(admitted(await arriving(tenant, Array(40).fill(60_000)))).toBe(
        requestsAtOnce(PER_MINUTE),
      );
    });

    it('delay later ones by as many intervals as their weight', async () => {
      const tenant = randomUUID();
      expect(admitted(await arriving(tenant, [0], 8))).toBe(1);
      expect(admitted(await arriving(tenant, Array(40).fill(0)))).toBe(
        requestsAtOnce(PER_MINUTE) - 8,
      );
      expect(admitted(await arriving(tenant, [1_000, 1_000], 10))).toBe(1);
      expect(admitted(await arriving(tenant, [10_999, 11_000]))).toBe(1);
    });

    it('are admitted at the moment of their ticket, once, while others are refused', async () => {
      const tenant = randomUUID();
      await arriving(tenant, Array(40).fill(0));
      const request = (fingerprint: string, weight = 1) => ({ tenant, fingerprint, weight });
      const [now, free] = [START, START + 1_000];
      expect(await paces.giveTicket(request('a'), PACE, now, free)).toBe(free);
      expect(await paces.giveTicket(request('b', 3), PACE, now, free)).toBe(free + 1_000);
      expect(await paces.giveTicket(request('c'), PACE, now, free)).toBe(free + 4_000);
      expect(await paces.redeem(request('a'), PACE, now)).toEqual({ kind: 'early', from: free });
      expect(await paces.redeem(request('a'), PACE, free)).toEqual({ kind: 'admitted' });
      expect(await paces.redeem(request('a'), PACE, free)).toEqual({ kind: 'none' });
      expect(admitted(await arriving(tenant, [1_000]))).toBe(0);
      for (const weight of [1, 2]) {
        const of = request('b', weight);
        expect(await paces.redeem(of, PACE, free + 1_000)).toEqual({ kind: 'admitted' });
      }
      const late = free + 4_000 + TICKET_VALID_MS + 1;
      expect(await paces.redeem(request('c'), PACE, late)).toEqual({ kind: 'none' });
      expect(await paces.redeem(request('never'), PACE, free)).toEqual({ kind: 'none' });
    });

    it('have no ticket if too many were given', async () => {
      const tenant = randomUUID();
      const request = {
        tenant,
        fingerprint: 'heavy',
        weight: MAX_TICKETS_MS / PACE.intervalMs + 1,
      };
      await paces.giveTicket(request, PACE, START, START);
      const other = { tenant, fingerprint: 'other', weight: 1 };
      const from = await paces.giveTicket(other, PACE, START, START);
      expect(from).toBeGreaterThan(START + MAX_TICKETS_MS);
      expect(await paces.redeem(other, PACE, from)).toEqual({ kind: 'none' });
    });

    it('are counted per tenant', async () => {
      await arriving('loud', Array(40).fill(0));
      expect(admitted(await arriving(randomUUID(), [0]))).toBe(1);
    });

    it('never exceed their pace over any period', async () => {
      const gaps = fc.array(fc.nat(3_000), { minLength: 1, maxLength: 60 });
      await fc.assert(
        fc.asyncProperty(gaps, async (between) => {
          const tenant = randomUUID();
          const letIn: number[] = [];
          let now = 0;
          for (const gap of between) {
            now += gap;
            if (admitted(await arriving(tenant, [now])) === 1) letIn.push(now);
          }
          for (const [first, from] of letIn.entries()) {
            for (const [later, to] of letIn.slice(first).entries()) {
              expect(later + 1).toBeLessThanOrEqual(10 + (to - from) / PACE.intervalMs);
            }
          }
        }),
        { numRuns: runs },
      );
    });
  });
}
