import { S3ServiceException } from '@aws-sdk/client-s3';

/**
 * Whether an object is missing. Without `s3:ListBucket`, S3 responds with 403 for a missing object, like for
 * one that is really denied; to a HEAD without an error code.
 */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false;
  return error.$metadata.httpStatusCode === 403 || error.$metadata.httpStatusCode === 404;
}
