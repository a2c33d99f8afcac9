import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS } from '../../../lambdas/domain/delivery/schedule.ts';
import { runs } from '../../support/runs.ts';
import { anyRates, Life } from './life.ts';

describe('any interleaving of crashes, lost responses, duplicate messages, redeliveries and the reconciler', () => {
  it('makes one attempt at a time, none too early; an ID has at most six attempts and one body', async () => {
    await fc.assert(
      fc.asyncProperty(anyRates, async (drawn) => {
        const life = new Life(drawn);
        await life.run();
        expect(life.overlaps).toBe(0);
        expect(life.log.map(({ attempt }) => attempt)).toEqual(life.log.map((_, i) => i + 1));
        for (const eventId of new Set(life.log.map((line) => line.event_id))) {
          const lines = life.log.filter((line) => line.event_id === eventId);
          expect(lines.length).toBeLessThanOrEqual(MAX_ATTEMPTS);
          for (const [index, { started_at: startedAt }] of lines.slice(1).entries()) {
            const due = lines[index]?.retry_at ?? 'never';
            expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(Date.parse(due));
          }
          const sent = life.world.sent.filter(({ headers }) => headers['webhook-id'] === eventId);
          expect(new Set(sent.map(({ body }) => body)).size).toBe(1);
        }
        const event = await life.event();
        expect(event?.state, 'nothing waits forever').not.toBe('due');
        const dead = life.world.deadLetters.map((letter) => letter.event_id);
        if (event?.state === 'exhausted') expect(dead).toContain(event.event_id);
      }),
      { numRuns: runs(120) },
    );
  }, 120_000);
});
