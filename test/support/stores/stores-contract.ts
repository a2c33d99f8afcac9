import type { Stores } from '../../../local/in-memory/stores.ts';
import { batchContract } from './batch-contract.ts';
import { claimsContract } from './charges-contract.ts';
import { jobContract } from './job-contract.ts';
import { patchBatchContract } from './patch-batch-contract.ts';

/** What every implementation of the state's ports does, in memory or in a table. */
export function storesContract(name: string, open: () => Stores): void {
  batchContract(name, open);
  claimsContract(name, open);
  jobContract(name, open);
  patchBatchContract(name, open);
}
