import { type BatchId, jobIdOf } from '../../identity.ts';
import type { JobRecord } from '../job.ts';
import type { ResultSigner, SignedUrl } from './result-signer.ts';

/**
 * The download URL of a job's result, or null if it has none.
 * @throws SigningKeyUnavailable
 */
export async function resultUrl(
  signer: ResultSigner,
  batchId: BatchId,
  jobIndex: number,
  record: JobRecord | null,
  fileName: string,
): Promise<SignedUrl | null> {
  if (record?.state.status !== 'completed') return null;
  return signer.sign(batchId, jobIdOf(batchId, jobIndex), fileName);
}
