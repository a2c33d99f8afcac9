import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomFrom } from '../../../bench/random.ts';
import { queuedBatches } from '../../../bench/scale/batch-queue.ts';
import { PROD, settingOf } from '../../../bench/scale/scenarios.ts';
import { type Demand, type Setting, simulate } from '../../../bench/scale/simulate.ts';
import { onDemandTable } from '../../../bench/scale/table.ts';
import { timeline } from '../../../bench/scale/timeline.ts';
import { tokenBucket } from '../../../bench/scale/token-bucket.ts';
import { FIELD, REGION } from '../../../bench/scale/work.ts';
import { runs } from '../../support/runs.ts';

const demand: Demand = { kind: REGION, batches: 4, jobsPerBatch: 5, tenants: 2, overSeconds: 10 };

/** Where throttled calls come back at random. */
const FULL: Setting = { ...PROD, accountFunctions: 5 };

const settings = fc.record({
  accountFunctions: fc.integer({ min: 1, max: 60 }),
  reserved: fc.constant(0),
  inAll: fc.integer({ min: 1, max: 4 }),
  perTenant: fc.integer({ min: 1, max: 4 }),
  jobs: fc.integer({ min: 1, max: 5 }),
  patchBatches: fc.integer({ min: 1, max: 12 }),
  deliveries: fc.integer({ min: 2, max: 10 }),
});

describe('a simulation', () => {
  it('is the same for the same seed, and another for another', () => {
    expect(simulate(demand, PROD, 1)).toEqual(simulate(demand, PROD, 1));
    expect(simulate(demand, FULL, 1).took).not.toEqual(simulate(demand, FULL, 2).took);
  });

  it('ends every batch, and never has more functions or batches at work than allowed', () => {
    fc.assert(
      fc.property(settings, fc.integer(), (setting, seed) => {
        const outcome = simulate(demand, setting, seed);
        expect(outcome.took).toHaveLength(demand.batches);
        expect(outcome.peakFunctions).toBeLessThanOrEqual(setting.accountFunctions);
        const running = outcome.samples.reduce((most, sample) => Math.max(most, sample.running), 0);
        expect(running).toBeLessThanOrEqual(Math.min(setting.inAll, 2 * setting.perTenant));
        expect(outcome.failedJobs).toBeLessThanOrEqual(outcome.jobs);
      }),
      { numRuns: runs(60) },
    );
  });

  it('fails no job while there is a function for everything that may run', () => {
    fc.assert(
      fc.property(settings, fc.integer(), (setting, seed) => {
        const { inAll, jobs, patchBatches } = setting;
        // A creation, and a plan or an assembly of each job, come beside predictions.
        const room = inAll * jobs * patchBatches + demand.batches;
        const outcome = simulate(demand, { ...setting, accountFunctions: room }, seed);
        expect(outcome).toMatchObject({ failedJobs: 0, throttled: 0 });
      }),
      { numRuns: runs(60) },
    );
  });

  it.each([
    ['dev', 10],
    ['dev', 100],
    ['dev', 1_000],
    ['prod', 10],
    ['prod', 100],
    ['prod', 1_000],
  ] as const)('loses no job of %s in an account of %i functions', (stage, functions) => {
    const setting = settingOf(stage, functions);
    // As many batches as `prod` runs at a time, of as many jobs: 800 predictions want a function.
    const full: Demand = { ...demand, batches: 20, jobsPerBatch: 10, tenants: 4 };
    const large: Demand = { ...demand, batches: 1, jobsPerBatch: 200, tenants: 1 };
    for (const seed of [1, 2, 3]) {
      for (const asked of [full, large]) {
        const outcome = simulate(asked, setting, seed);
        expect(outcome.took).toHaveLength(asked.batches);
        expect(outcome).toMatchObject({ jobs: 200, failedJobs: 0 });
        // `dev` leaves room for the API.
        if (stage === 'dev') expect(outcome).toMatchObject({ throttled: 0, rejectedCreations: 0 });
      }
    }
  });

  it('loses jobs where an account is full for longer than a step waits', () => {
    const hours: Demand = {
      kind: { ...REGION, points: 300 * REGION.pointsPerSecond },
      batches: 20,
      jobsPerBatch: 20,
      tenants: 4,
      overSeconds: 10,
    };
    expect(simulate(hours, settingOf('prod', 10)).failedJobs).toBeGreaterThan(0);
  });

  it.each([2, 5])('starts a newcomer’s batch at once beside %i busy tenants', (tenants) => {
    const busy: Demand = {
      ...demand,
      batches: 60,
      jobsPerBatch: 200,
      tenants,
      newcomer: { jobs: 1, atSeconds: 60 },
    };
    expect(simulate(busy, PROD).newcomer?.waited).toBeLessThan(1);
    expect(simulate(busy, { ...PROD, reserved: 0 }).newcomer?.waited).toBeGreaterThan(60);
  });

  it('takes a lone region as long as its rounds of predictions and little more', () => {
    const alone: Demand = { ...demand, batches: 1, jobsPerBatch: 1 };
    const [seconds = 0] = simulate(alone, PROD).took;
    const rounds = Math.ceil(REGION.patchBatches / PROD.patchBatches);
    expect(seconds).toBeGreaterThan(10 * rounds);
    expect(seconds).toBeLessThan(10 * rounds + 2);
  });

  it('lets dead receivers hold up the others only where few are served at a time', () => {
    const many: Demand = {
      kind: FIELD,
      batches: 4_000,
      jobsPerBatch: 1,
      tenants: 9,
      overSeconds: 300,
    };
    const setting: Setting = { ...PROD, deliveries: 2 };
    expect(simulate(many, setting).latestDelivery).toBeGreaterThan(60);
    expect(simulate(many, { ...setting, deliveries: 200 }).latestDelivery).toBe(0);
  });
});

describe('simulated time', () => {
  it('lets things happen in order, those of one instant as they were asked for', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 5 })), (delays) => {
        const time = timeline();
        const happened: (readonly [number, number])[] = [];
        for (const [asked, delay] of delays.entries()) {
          time.after(delay, () => happened.push([time.now(), asked]));
        }
        time.run();
        const inOrder = delays
          .map((delay, asked) => [delay, asked] as const)
          .sort(([a, first], [b, second]) => a - b || first - second);
        expect(happened).toEqual(inOrder);
      }),
    );
  });
});

describe('a token bucket', () => {
  it('gives its size at once and its rate from then on', () => {
    const bucket = tokenBucket(10, 2);
    expect(Array.from({ length: 12 }, () => bucket.tryTake(0)).filter(Boolean)).toHaveLength(10);
    expect(bucket.tryTake(0.5)).toBe(true);
    expect(bucket.tryTake(0.5)).toBe(false);
  });

  it('tells how long a request waits for its tokens', () => {
    const bucket = tokenBucket(10, 2);
    expect([bucket.take(0, 10), bucket.take(0, 4), bucket.take(0, 4)]).toEqual([0, 2, 4]);
  });
});

describe('an on-demand table', () => {
  it('takes 4,000 writes a second at first, and twice its peak half an hour later', () => {
    const table = onDemandTable();
    expect(table.write(0, 4_000)).toBe(0);
    expect(table.write(0, 4_000)).toBeCloseTo(1);
    expect(table.write(1_800, 8_000)).toBe(0);
    expect(table.peak()).toBe(8_000);
  });
});

describe('the queue of batches', () => {
  it('serves tenants round-robin, none beyond its own slots', () => {
    const queue = queuedBatches<string>({ inAll: 3, reserved: 0, perTenant: 2 });
    for (const batch of ['a1', 'a2', 'a3']) queue.enqueue(1, batch);
    queue.enqueue(2, 'b1');
    const served = [queue.next(), queue.next(), queue.next(), queue.next()];
    expect(served.map((one) => one?.waiting)).toEqual(['a1', 'b1', 'a2', undefined]);
    queue.release(2);
    expect(queue.next()).toBeUndefined();
    queue.release(1);
    expect(queue.next()?.waiting).toBe('a3');
  });

  it('serves the tenant with the fewest slots before one that waits longer', () => {
    const queue = queuedBatches<string>({ inAll: 3, reserved: 0, perTenant: 3 });
    for (const batch of ['a1', 'a2', 'a3']) queue.enqueue(1, batch);
    const served = [queue.next(), queue.next()];
    queue.enqueue(2, 'b1');
    expect([...served, queue.next()].map((one) => one?.waiting)).toEqual(['a1', 'a2', 'b1']);
  });
});

describe('random numbers', () => {
  it('are spread evenly', () => {
    const random = randomFrom(8);
    const tenths = Array(10).fill(0);
    for (let draw = 0; draw < 100_000; draw++) tenths[Math.floor(10 * random())] += 1;
    for (const count of tenths) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});
