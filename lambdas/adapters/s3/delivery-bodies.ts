import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { DeliveryBodies } from '../../domain/delivery/body.ts';
import type { BatchId } from '../../domain/identity.ts';
import { isMissing } from './sdk-objects.ts';

/**
 * Stores webhook bodies under `deliveries/`, where they are deleted after two days, because they contain valid signed
 * URLs.
 */
export function s3DeliveryBodies(s3: S3Client, bucket: string): DeliveryBodies {
  async function read(batchId: BatchId, eventId: string): Promise<Uint8Array | null> {
    try {
      const { Body } = await s3.send(
        new GetObjectCommand({ Bucket: bucket, Key: keyOf(batchId, eventId) }),
      );
      return Body === undefined ? null : await Body.transformToByteArray();
    } catch (error) {
      // S3 may also deny access to an existing object. Then `keep`, whose write has `If-None-Match`, fails instead of
      // overwriting the object.
      if (isMissing(error)) return null;
      throw error;
    }
  }
  return {
    read,
    async keep(batchId, eventId, body) {
      try {
        await s3.send(
          new PutObjectCommand({
            Bucket: bucket,
            Key: keyOf(batchId, eventId),
            Body: body,
            ContentType: 'application/json',
            IfNoneMatch: '*',
          }),
        );
      } catch (error) {
        if (!isPreconditionFailed(error)) throw error;
      }
      const storedBody = await read(batchId, eventId);
      if (storedBody === null) throw new Error(`the body of event ${eventId} cannot be read`);
      return storedBody;
    },
  };
}

function keyOf(batchId: BatchId, eventId: string): string {
  return `deliveries/${batchId}/${eventId}.json`;
}

/**
 * 412 means that another attempt stored its body first. (409 means a concurrent write; the delivery fails, and the
 * queue repeats it.)
 */
function isPreconditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'PreconditionFailed';
}
