import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_REDELIVERIES } from '../../../lambdas/domain/delivery/redelivery.ts';
import { MAX_ATTEMPTS } from '../../../lambdas/domain/delivery/schedule.ts';
import { runs } from '../../support/runs.ts';
import { anyRates, Life, type Rates } from './life.ts';

/**
 * Lambda stops a function that was invoked "approximately 16 times" in one chain of requests. A message that a
 * function sends belongs to the chain of the message that invoked it: the SDK copies the count in the X-Ray
 * trace header (`Lineage`). The stopped message goes to the dead-letter queue.
 * https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
 */
const LAMBDA_STOPS_AT = 16;

const CALM: Rates = {
  seed: 1,
  dies: 0,
  throws: 0,
  sentTwice: 0,
  messagesTwice: 0,
  failures: 1,
  redeliveries: 0,
  keyless: 0,
};

async function findLongestChain(rates: Partial<Rates>): Promise<number> {
  const life = new Life({ ...CALM, ...rates });
  await life.run();
  return life.longestChain;
}

describe('the delivering function, which sends to its own queue', () => {
  it.each<[string, Partial<Rates>, number]>([
    ['the receiver acknowledges', { failures: 0 }, 1],
    ['the receiver fails every attempt', {}, MAX_ATTEMPTS],
    ['the signing key is missing for 50 minutes', { keyless: 3_000 }, MAX_ATTEMPTS],
    ['every message arrives twice', { messagesTwice: 1 }, MAX_ATTEMPTS],
    [
      'every message arrives twice, without a signing key',
      { messagesTwice: 1, keyless: 3_000 },
      MAX_ATTEMPTS,
    ],
    ['its processes die', { dies: 0.2 }, MAX_ATTEMPTS],
    ['the services that it calls fail', { throws: 0.1 }, MAX_ATTEMPTS],
    ['clients request every allowed redelivery', { redeliveries: MAX_REDELIVERIES }, MAX_ATTEMPTS],
  ])('is invoked less often in a chain than Lambda allows when %s', async (_case, rates, most) => {
    expect(await findLongestChain(rates)).toBeLessThanOrEqual(most);
    expect(most).toBeLessThan(LAMBDA_STOPS_AT);
  });

  it(`is invoked at most ${MAX_ATTEMPTS} times in a chain, whichever of these faults coincide`, async () => {
    const manyRedeliveries = fc
      .tuple(anyRates, fc.nat({ max: MAX_REDELIVERIES }))
      .map(([rates, redeliveries]) => ({ ...rates, redeliveries }));
    await fc.assert(
      fc.asyncProperty(manyRedeliveries, async (rates) => {
        expect(await findLongestChain(rates)).toBeLessThanOrEqual(MAX_ATTEMPTS);
      }),
      { numRuns: runs(60) },
    );
  }, 120_000);
});
