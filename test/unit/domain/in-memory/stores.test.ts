import { inMemoryStores } from '../../../../local/in-memory/stores.ts';
import { inMemoryStorage } from '../../../support/simulation/in-memory-storage.ts';
import { batchIndexContract } from '../../../support/stores/batch-index-contract.ts';
import { dispatchContract } from '../../../support/stores/dispatch-contract.ts';
import { outboxContract } from '../../../support/stores/outbox-contract.ts';
import { storesContract } from '../../../support/stores/stores-contract.ts';

const clock = () => new Date();

storesContract('memory', () => inMemoryStores(clock));
batchIndexContract('memory', () => inMemoryStores(clock));
dispatchContract('memory', () => inMemoryStorage(clock));
outboxContract('memory', () => inMemoryStorage(clock));
