import { inMemoryStores } from '../../../../local/in-memory/stores.ts';
import { inMemoryStorage } from '../../../chaos/in-memory-storage.ts';
import { dispatchContract } from './dispatch-contract.ts';
import { outboxContract } from './outbox-contract.ts';
import { storesContract } from './stores-contract.ts';

const clock = () => new Date();

storesContract('memory', () => inMemoryStores(clock));
dispatchContract('memory', () => inMemoryStorage(clock));
outboxContract('memory', () => inMemoryStorage(clock));
