import { describe, expect, it } from 'vitest';
import { addSeconds } from '../../../lambdas/domain/clock.ts';
import type { TestAllowance } from '../../../lambdas/domain/delivery/test-delivery.ts';

export function allowanceContract(name: string, { take }: TestAllowance): void {
  describe(`the allowance of test webhooks in ${name}`, () => {
    it('is counted per tenant and minute, and never exceeded', async () => {
      const now = new Date().toISOString();
      const minute = now.slice(0, 16);
      const taken = await Promise.all(Array.from({ length: 8 }, () => take('farm', minute, 3)));
      expect(taken.filter((result) => result === 'taken')).toHaveLength(3);
      expect(await take('other', minute, 3)).toBe('taken');
      expect(await take('farm', addSeconds(now, 60).slice(0, 16), 3)).toBe('taken');
    });
  });
}
