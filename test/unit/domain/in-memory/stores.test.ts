import { inMemoryStores } from './stores.ts';
import { storesContract } from './stores-contract.ts';

storesContract('memory', () => inMemoryStores(() => new Date()));
