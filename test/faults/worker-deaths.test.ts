import { describe, expect, it } from 'vitest';
import { checkGuarantees } from '../support/simulation/guarantees.ts';
import { inMemoryStorage } from '../support/simulation/in-memory-storage.ts';
import { simulate } from '../support/simulation/simulate.ts';
import { synthesiseMachine } from '../support/simulation/synthesised-machine.ts';

const DEATHS = [
  { step: 'pipeline/plan-job', call: 'jobs.begin', fault: 'killed before' },
  { step: 'pipeline/assemble-raster', call: 'blocks.readInto', fault: 'killed after' },
  { step: 'pipeline/assemble-raster', call: 'blocks.readInto', fault: 'timed out' },
] as const;

describe('a step whose worker dies twice', () => {
  const machine = synthesiseMachine();

  it.each(DEATHS)('still completes its job: $step, $fault at $call', async (at) => {
    const death = { ...at, occurrence: 0 };
    const scenario = { name: 'two deaths', statusCodes: [200], faults: [death, death] };
    const world = await simulate(machine, ({ clock }) => inMemoryStorage(clock), scenario);
    expect(world.injected).toHaveLength(2);
    await checkGuarantees(world);
    const [batchId = ''] = world.storage.created;
    expect((await world.storage.jobs.read(batchId, 0))?.status).toBe('completed');
  });

  it.each(['killed after', 'timed out'] as const)(
    'still copies every result of its batch: %s',
    async (fault) => {
      const at = { step: 'pipeline/copy-results', call: 'clientBuckets.open' } as const;
      const death = { ...at, occurrence: 0, fault };
      const scenario = { name: 'deaths', statusCodes: [200], faults: [death, death], copied: true };
      const world = await simulate(machine, ({ clock }) => inMemoryStorage(clock), scenario);
      expect(world.injected).toHaveLength(2);
      await checkGuarantees(world);
      const [batchId = ''] = world.storage.created;
      expect((await world.storage.copies.readCopies(batchId)).complete).toBe(true);
    },
  );
});

describe('a run that is lost during its last copy', () => {
  const machine = synthesiseMachine();
  const lost = {
    step: 'pipeline/copy-results',
    call: 'copies.recordCompletion',
    fault: 'stopped',
    occurrence: 0,
  } as const;
  const scenario = { name: 'lost', statusCodes: [200], faults: [lost], copied: true };
  const run = async (afterwards: object) => {
    const changed = { ...scenario, ...afterwards };
    const world = await simulate(machine, ({ clock }) => inMemoryStorage(clock), changed);
    await checkGuarantees(world);
    const [batchId = ''] = world.storage.created;
    return { world, batchId, copies: await world.storage.copies.readCopies(batchId) };
  };

  it('is recorded for the client as an interrupted copy', async () => {
    const { copies } = await run({});
    expect(copies).toMatchObject({ complete: false, failure: { step: 'interrupted' } });
  });

  it.each([{}, { endEventsLost: true }])(
    'is replaced at the client’s request by a run that only copies: %j',
    async (events) => {
      const afterwards = 'api/functions/creations: copy';
      const { world, batchId, copies } = await run({ afterwards, ...events });
      expect(copies).toMatchObject({ complete: true, failure: null, requests: 1 });
      expect([...world.executions.all.keys()]).toEqual([batchId, `${batchId}.copy1`]);
      const steps = world.invocations.map(({ step }) => step);
      expect(steps.filter((step) => step === 'pipeline/finish-batch')).toHaveLength(1);
    },
  );
});
