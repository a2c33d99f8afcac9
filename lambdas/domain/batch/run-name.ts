import { type BatchId, isBatchId } from '../identity.ts';

/** A run is named by its batch; one that was begun anew also by how often. */
export function runNameOf(batchId: BatchId, restarts: number): string {
  return restarts === 0 ? batchId : `${batchId}.${restarts}`;
}

/** The batch of a run; null for a name that is none. */
export function batchOfRun(name: string): BatchId | null {
  const [batchId = '', restarts] = name.split('.', 2);
  if (restarts !== undefined && !/^[1-9]\d*$/.test(restarts)) return null;
  return isBatchId(batchId) ? batchId : null;
}
