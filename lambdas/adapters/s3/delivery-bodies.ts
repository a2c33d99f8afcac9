import { GetObjectCommand, NoSuchKey, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { DeliveryBodies } from '../../domain/delivery/body.ts';
import type { BatchId } from '../../domain/identity.ts';

/** Final webhook bodies under `deliveries/`. They hold live URLs: private, and gone after two days. */
export function s3DeliveryBodies(s3: S3Client, bucket: string): DeliveryBodies {
  async function read(batchId: BatchId, eventId: string): Promise<Uint8Array | null> {
    try {
      const { Body } = await s3.send(
        new GetObjectCommand({ Bucket: bucket, Key: keyOf(batchId, eventId) }),
      );
      return Body === undefined ? null : await Body.transformToByteArray();
    } catch (error) {
      if (isAbsent(error)) return null;
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
      const kept = await read(batchId, eventId);
      if (kept === null) throw new Error(`the body of event ${eventId} can't be read`);
      return kept;
    },
  };
}

function keyOf(batchId: BatchId, eventId: string): string {
  return `deliveries/${batchId}/${eventId}.json`;
}

/**
 * S3 says `AccessDenied` for what is not there to whoever may not list the bucket. Taking it for
 * absent is safe: `If-None-Match` decides, and a reader that is really denied fails after it.
 */
function isAbsent(error: unknown): boolean {
  return error instanceof NoSuchKey || (error instanceof Error && error.name === 'AccessDenied');
}

/** 412: another attempt stored its copy first. (409, a write under way, is retried by the queue.) */
function isPreconditionFailed(error: unknown): boolean {
  return error instanceof Error && error.name === 'PreconditionFailed';
}
