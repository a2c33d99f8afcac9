import type { Timestamp } from '../../clock.ts';
import { type BatchId, type JobId, jobIdOf } from '../../identity.ts';
import type { JobRecord } from '../job.ts';

/** A result's URL. Its times are those in the URL, in whole seconds. */
export interface SignedUrl {
  readonly url: string;
  readonly createdAt: Timestamp;
  readonly expiresAt: Timestamp;
}

/** Thrown while there is no signing key, because a URL signed in any other way would expire early. */
export class SigningKeyUnavailable extends Error {
  override readonly name = 'SigningKeyUnavailable';
}

/** Port that signs download URLs of results, valid for `SIGNED_URL_SECONDS`. */
export interface ResultSigner {
  /**
   * @param fileName the name of the downloaded file; ASCII without quotes
   * @param method GET by default; the signature may not be valid for any other method
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
 * Returns null if there is no result.
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
