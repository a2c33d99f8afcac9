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

describe('a step whose worker dies twice, outside the map of shares,', () => {
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
    'leaves no result of its batch missing: %s',
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
