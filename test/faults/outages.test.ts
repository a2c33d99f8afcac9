import { afterAll, describe, expect, it } from 'vitest';
import { checkGuarantees } from '../support/simulation/guarantees.ts';
import { inMemoryStorage } from '../support/simulation/in-memory-storage.ts';
import { SERVICES, type Service } from '../support/simulation/outages.ts';
import { SCENARIOS, type Scenario } from '../support/simulation/scenarios.ts';
import { simulate } from '../support/simulation/simulate.ts';
import { synthesiseMachine } from '../support/simulation/synthesised-machine.ts';

/** Longer than the retries of a job's step, but shorter than the retries of a batch's last step. */
const MINUTES = 15;

/** Services whose outages may make jobs fail with `internal`. Outages of other services only delay jobs. */
const FAILS_JOBS: ReadonlySet<Service> = new Set(['DynamoDB', 'S3', 'Lambda']);

const machine = synthesiseMachine();
const open = ({ clock }: { readonly clock: () => Date }) => inMemoryStorage(clock);

/** This scenario calls every service, including EventBridge, whose schedule repairs the lost start. */
const scenario = SCENARIOS.find(({ name }) => name === 'the start of the execution was lost');
if (scenario === undefined) throw new Error('no scenario whose start was lost');

const counted: string[] = [];
afterAll(() =>
  console.log(`\ncalls at which an outage of ${MINUTES} minutes began\n${counted.join('\n')}`),
);

describe.each(SERVICES)('an outage of %s for a quarter of an hour', (service) => {
  it('breaks no guarantee of the batch, at whichever call it begins', async () => {
    const baseline = await simulate(machine, open, scenario);
    const { batches } = await checkGuarantees(baseline);
    const calls = baseline.outages.calls.get(service) ?? 0;
    expect(calls, 'calls').toBeGreaterThan(0);
    for (let fromCall = 0; fromCall < calls; fromCall++) {
      const outage = { service, fromCall, minutes: MINUTES };
      const world = await simulate(machine, open, { ...scenario, outage } satisfies Scenario);
      const outcome = await checkGuarantees(world);
      expect(outcome.batches).toHaveLength(batches.length);
      outcome.batches.flat().forEach((result, index) => {
        const usual = batches.flat()[index];
        const allowed = FAILS_JOBS.has(service) ? [usual, 'internal'] : [usual];
        expect(allowed, `job ${index}, down from call ${fromCall}`).toContain(result);
      });
    }
    counted.push(`${service.padEnd(16)} ${String(calls).padStart(3)}`);
  }, 180_000);
});
