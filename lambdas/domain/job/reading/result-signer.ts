import type { Timestamp } from '../../clock.ts';
import { type BatchId, type JobId, jobIdOf } from '../../identity.ts';
import type { JobRecord } from '../job.ts';

/** A result's URL; the times are those in the URL, in whole seconds. */
export interface SignedUrl {
  readonly url: string;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp;
}

/** Thrown while there is no signing key: a URL signed otherwise would expire early. */
export class SigningKeyUnavailable extends Error {
  override readonly name = 'SigningKeyUnavailable';
}

/** Port that signs download URLs of results, for 24 hours (`SIGNED_URL_SECONDS`). */
export interface ResultSigner {
  /**
   * @param fileName under which the result is downloaded; ASCII without quotes
   * @param method GET by default; the signature may hold for no other
   * @throws SigningKeyUnavailable
   */
  sign(
    batchId: BatchId,
    jobId: JobId,
    fileName: string,
    method?: 'GET' | 'HEAD',
  ): Promise<SignedUrl>;
}

/**
 * The download URL of a job's result, or null if it has none.
 * @throws SigningKeyUnavailable
 */
export async function signResultUrl(
  signer: ResultSigner,
  batchId: BatchId,
  jobIndex: number,
  record: JobRecord | null,
  fileName: string,
): Promise<SignedUrl | null> {
  if (record?.status !== 'completed') return null;
  return signer.sign(batchId, jobIdOf(batchId, jobIndex), fileName);
}
