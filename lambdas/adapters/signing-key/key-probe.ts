import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { KeyProbe, SigningKey } from '../../domain/signing/signing-key.ts';
import { s3Client } from '../clients.ts';

/** This object does not exist. */
const PROBE_KEY = 'results/signing-key-probe';

/**
 * S3's error codes for a key that it knows: the object does not exist. The user may not list the
 * bucket, so on AWS the code is `AccessDenied`; an unknown key gets `InvalidAccessKeyId`. (STS would
 * know the key sooner, but S3 verifies the URLs. `HeadObject` responds with 403 in both cases, without
 * a code.)
 */
const KNOWN: ReadonlySet<string> = new Set(['NoSuchKey', 'AccessDenied']);

export function s3KeyProbe(bucket: string): KeyProbe {
  return {
    async check(key) {
      const code = await codeFor(key, bucket);
      return { accepted: KNOWN.has(code), code };
    },
  };
}

async function codeFor(key: SigningKey, bucket: string): Promise<string> {
  const { keyId: accessKeyId, secret: secretAccessKey } = key;
  const s3 = s3Client({ credentials: { accessKeyId, secretAccessKey } });
  try {
    await s3.send(new GetObjectCommand({ Bucket: bucket, Key: PROBE_KEY }));
    return 'NoSuchKey'; // The object exists after all; the key was accepted.
  } catch (error) {
    if (error instanceof Error) return error.name;
    throw error;
  } finally {
    s3.destroy();
  }
}
