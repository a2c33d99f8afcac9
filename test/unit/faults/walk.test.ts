import { inMemoryStorage } from '../../chaos/in-memory-storage.ts';
import { walkSuite } from '../../chaos/walk-suite.ts';

await walkSuite('in memory', ({ clock }) => inMemoryStorage(clock));
