import { type BatchId, isBatchId } from '../identity.ts';

/** A run is named after its batch; after a restart, with the number of restarts. */
export function runNameOf(batchId: BatchId, restarts: number): string {
  return restarts === 0 ? batchId : `${batchId}.${restarts}`;
}

/** The batch of a run; null if the name is not a run's. */
export function batchOfRun(name: string): BatchId | null {
  const [batchId = '', restarts] = name.split('.', 2);
  if (restarts !== undefined && !/^[1-9]\d*$/.test(restarts)) return null;
  return isBatchId(batchId) ? batchId : null;
}
