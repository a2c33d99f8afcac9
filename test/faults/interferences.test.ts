import { chooseSome } from '../support/runs.ts';
import { WHAT_INTERFERES } from '../support/simulation/faults.ts';
import { inMemoryStorage } from '../support/simulation/in-memory-storage.ts';
import { walkSuite } from '../support/simulation/walk-suite.ts';

await walkSuite('in memory', ({ clock }) => inMemoryStorage(clock), WHAT_INTERFERES, {
  chosen: chooseSome,
});
