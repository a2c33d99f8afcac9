import { afterAll, describe, expect, it } from 'vitest';
import { COURSES, type Course } from '../chaos/courses.ts';
import { inMemoryStorage } from '../chaos/in-memory-storage.ts';
import { live } from '../chaos/live.ts';
import { SERVICES, type Service } from '../chaos/outages.ts';
import { synthesisedMachine } from '../chaos/state-machine.ts';
import { holdsItsPromises } from '../chaos/verdict.ts';

/** Longer than a step of a job is retried; shorter than a batch's last step is. */
const MINUTES = 15;

/** Where jobs run meanwhile can't be done: they fail as ours, to be retried. The others only wait. */
const FAILS_JOBS: ReadonlySet<Service> = new Set(['DynamoDB', 'S3', 'Lambda']);

const machine = synthesisedMachine();
const open = ({ clock }: { readonly clock: () => Date }) => inMemoryStorage(clock);

/** With a lost start, every service is needed: the schedule too. */
const course = COURSES.find(({ name }) => name === 'the start was lost');
if (course === undefined) throw new Error('there is no course whose start was lost');

const counted: string[] = [];
afterAll(() =>
  console.log(`\noutages of ${MINUTES} minutes that a batch came through\n${counted.join('\n')}`),
);

describe.each(SERVICES)('when %s is down for a quarter of an hour', (service) => {
  it('from any of its calls on, the batch ends as it must', async () => {
    const undisturbed = await live(machine, open, course);
    const { batches } = await holdsItsPromises(undisturbed);
    const calls = undisturbed.outages.calls.get(service) ?? 0;
    expect(calls, 'calls').toBeGreaterThan(0);
    for (let fromCall = 0; fromCall < calls; fromCall++) {
      const outage = { service, fromCall, minutes: MINUTES };
      const world = await live(machine, open, { ...course, outage } satisfies Course);
      const outcome = await holdsItsPromises(world);
      expect(outcome.batches).toHaveLength(batches.length);
      outcome.batches.flat().forEach((ending, index) => {
        const usual = batches.flat()[index];
        const allowed = FAILS_JOBS.has(service) ? [usual, 'internal'] : [usual];
        expect(allowed, `job ${index}, down from call ${fromCall}`).toContain(ending);
      });
    }
    counted.push(`${service.padEnd(16)} ${String(calls).padStart(3)}`);
  }, 180_000);
});
