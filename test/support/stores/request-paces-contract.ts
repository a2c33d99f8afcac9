import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admitRequest,
  countRemainingWeight,
  paceOf,
  type RequestPaces,
  requestsAtOnce,
} from '../../../lambdas/domain/admission/request-rate.ts';

const START = Date.parse('2026-03-01T10:00:00.000Z');
const PER_MINUTE = 60;
const PACE = paceOf(PER_MINUTE);

export function requestPacesContract(name: string, paces: RequestPaces, runs: number): void {
  const at = (moment: number) => new Date(START + moment);
  const sendRequest = (tenant: string, moment: number) =>
    admitRequest(paces, tenant, PER_MINUTE, at(moment));
  const charge = (tenant: string, moment: number, weight: number) =>
    countRemainingWeight(paces, tenant, PER_MINUTE, at(moment), weight);
  const countAdmitted = async (tenant: string, moments: readonly number[]) => {
    const waits = await Promise.all(moments.map((moment) => sendRequest(tenant, moment)));
    return waits.filter((wait) => wait === null).length;
  };

  describe(`a tenant’s requests in ${name}`, () => {
    it('are admitted up to a full burst', async () => {
      const tenant = randomUUID();
      expect(await countAdmitted(tenant, Array(40).fill(0))).toBe(requestsAtOnce(PER_MINUTE));
      expect(await sendRequest(tenant, 0)).toBe(1);
    });

    it('are admitted at one per interval after a burst, and in a burst after a pause', async () => {
      const tenant = randomUUID();
      await countAdmitted(tenant, Array(40).fill(0));
      expect(await countAdmitted(tenant, [999])).toBe(0);
      expect(await countAdmitted(tenant, [1_000, 1_000])).toBe(1);
      expect(await countAdmitted(tenant, Array(40).fill(60_000))).toBe(requestsAtOnce(PER_MINUTE));
    });

    it('are charged in full if they are heavy, even beyond the burst, and then delay later ones', async () => {
      const tenant = randomUUID();
      expect(await countAdmitted(tenant, Array(40).fill(0))).toBe(10);
      expect(await charge(tenant, 0, 5)).toBeNull();
      expect(await sendRequest(tenant, 0)).toBe(6);
      expect(await countAdmitted(tenant, [5_999, 6_000, 6_000])).toBe(1);
    });

    it('wait if they are heavy and an earlier one exceeded the burst', async () => {
      const tenant = randomUUID();
      await countAdmitted(tenant, Array(40).fill(0));
      const charges = await Promise.all([1, 2, 3].map(() => charge(tenant, 0, 5)));
      expect(charges.filter((wait) => wait === null)).toHaveLength(1);
      expect(charges.filter((wait) => wait === 5)).toHaveLength(2);
    });

    it('are counted per tenant', async () => {
      await countAdmitted('loud', Array(40).fill(0));
      expect(await countAdmitted(randomUUID(), [0])).toBe(1);
    });

    it('are admitted after a request that was counted by a clock three minutes fast', async () => {
      const tenant = randomUUID();
      expect(await countAdmitted(tenant, [180_000])).toBe(1);
      expect(await countAdmitted(tenant, Array(40).fill(0))).toBe(10);
      expect(await sendRequest(tenant, 0)).toBe(1);
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
            if ((await sendRequest(tenant, now)) === null) letIn.push(now);
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
