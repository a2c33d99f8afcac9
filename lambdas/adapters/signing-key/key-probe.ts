import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { KeyProbe, SigningKey } from '../../domain/signing/signing-key.ts';
import { s3Client } from '../clients.ts';

/** The key of an object that does not exist. */
const PROBE_KEY = 'results/signing-key-probe';

/**
 * S3's error codes if it accepts the access key and the object is missing. The user may not list the bucket, so AWS
 * responds with `AccessDenied`; an unknown access key gets `InvalidAccessKeyId`. (STS would accept the key sooner, but
 * S3 is what verifies the URLs. The response to `HeadObject` has status 403 and no code in both cases.)
 */
const ACCEPTING_CODES: ReadonlySet<string> = new Set(['NoSuchKey', 'AccessDenied']);

export function s3KeyProbe(bucket: string): KeyProbe {
  return {
    async check(key) {
      const code = await readErrorCode(key, bucket);
      return { accepted: ACCEPTING_CODES.has(code), code };
    },
  };
}

async function readErrorCode(key: SigningKey, bucket: string): Promise<string> {
  const { keyId: accessKeyId, secret: secretAccessKey } = key;
  const s3 = s3Client({ credentials: { accessKeyId, secretAccessKey } });
  try {
    await s3.send(new GetObjectCommand({ Bucket: bucket, Key: PROBE_KEY }));
    return 'NoSuchKey'; // The object exists after all, so S3 accepted the key.
  } catch (error) {
    if (error instanceof Error) return error.name;
    throw error;
  } finally {
    s3.destroy();
  }
}
