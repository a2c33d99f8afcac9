import type { Stores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import { allowanceContract } from './allowance-contract.ts';
import { batchContract } from './batch-contract.ts';
import { batchIndexContract } from './batch-index-contract.ts';
import { chargesContract } from './charges-contract.ts';
import { dispatchContract } from './dispatch-contract.ts';
import { jobContract } from './job-contract.ts';
import { outboxContract } from './outbox-contract.ts';
import { patchBatchContract } from './patch-batch-contract.ts';
import { recentTimesContract } from './recent-times-contract.ts';
import { requestPacesContract } from './request-paces-contract.ts';

/**
 * Tests the contract that stores must meet on every table: in memory, in the emulator and in DynamoDB Local.
 * @param stores stores over a table that is empty at first
 * @param runs the number of runs of each property test
 */
export function storesContract(name: string, stores: Stores, runs: number): void {
  const open = () => stores;
  batchContract(name, open);
  chargesContract(name, open);
  jobContract(name, open);
  patchBatchContract(name, open);
  recentTimesContract(name, () => stores.recentTimes);
  requestPacesContract(name, stores.paces, runs);
  dispatchContract(name, open);
  batchIndexContract(name, open);
  outboxContract(name, open);
  allowanceContract(name, stores.allowance);
}
