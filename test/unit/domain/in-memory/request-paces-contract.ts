import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  paceOf,
  type RequestPaces,
  requestsAtOnce,
} from '../../../../lambdas/domain/admission/request-rate.ts';

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
