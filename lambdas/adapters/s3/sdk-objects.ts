import {
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { CONTENT_TYPE, type Objects, rangeHeader } from './objects.ts';

/** Uses the SDK's client, for steps that need the client anyway. */
export function sdkObjects(client: S3Client, bucket: string): Objects {
  return {
    async read(key, range) {
      const { Body } = await client.send(
        new GetObjectCommand({
          Bucket: bucket,
          Key: key,
          Range: range === undefined ? undefined : rangeHeader(range),
        }),
      );
      if (Body === undefined) throw new Error(`S3 returned no body for ${key}`);
      return Body.transformToByteArray();
    },
    async write(key, body) {
      await client.send(
        new PutObjectCommand({ Bucket: bucket, Key: key, Body: body, ContentType: CONTENT_TYPE }),
      );
    },
  };
}

/**
 * Whether an object is missing, or access to it is denied. Without `s3:ListBucket`, S3 responds with 403 for both
 * missing and denied objects; the response to a HEAD has no error code.
 */
export function isMissing(error: unknown): boolean {
  if (!(error instanceof S3ServiceException)) return false;
  return error.$metadata.httpStatusCode === 403 || error.$metadata.httpStatusCode === 404;
}
