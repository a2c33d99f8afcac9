import { GetObjectCommand } from '@aws-sdk/client-s3';
import type { KeyProbe, SigningKey } from '../../domain/signing/signing-key.ts';
import { s3Client } from '../clients.ts';

/** Never written. */
const PROBE_KEY = 'results/signing-key-probe';

/**
 * What S3 says to a key it knows: the object is not there. The user may not list the bucket, so on
 * AWS that reads `AccessDenied`; a key not known yet reads `InvalidAccessKeyId`. (STS would answer
 * sooner, but S3 is who judges the URLs; `HeadObject` answers 403 to both, without a code.)
 */
const KNOWN: ReadonlySet<string> = new Set(['NoSuchKey', 'AccessDenied']);

export function s3KeyProbe(bucket: string): KeyProbe {
  return {
    async check(key) {
      const code = await answerTo(key, bucket);
      return { accepted: KNOWN.has(code), code };
    },
  };
}

async function answerTo(key: SigningKey, bucket: string): Promise<string> {
  const { accessKeyId, secretAccessKey } = key;
  const s3 = s3Client({ credentials: { accessKeyId, secretAccessKey } });
  try {
    await s3.send(new GetObjectCommand({ Bucket: bucket, Key: PROBE_KEY }));
    return 'NoSuchKey'; // Somebody put it there; the key was accepted all the same.
  } catch (error) {
    if (error instanceof Error) return error.name;
    throw error;
  } finally {
    s3.destroy();
  }
}
