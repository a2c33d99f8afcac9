import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { addSeconds, type Clock, timestamp } from '../../domain/clock.ts';
import type { BatchId, JobId } from '../../domain/identity.ts';
import {
  type ResultSigner,
  type SignedUrl,
  SigningKeyUnavailable,
} from '../../domain/job/result-signer.ts';
import { SIGNED_URL_SECONDS } from '../../domain/limits.ts';
import { chooseKey, isSettled } from '../../domain/signing/choose-key.ts';
import type { SigningKey } from '../../domain/signing/signing-key.ts';
import { CLIENT_OPTIONS } from '../client-options.ts';
import { remembered } from '../remembered.ts';
import { readKeyAt } from '../secrets/key-vault.ts';
import { rasterKey } from './rasters.ts';

export interface ResultSignerOptions {
  readonly secrets: SecretsManagerClient;
  readonly secretArn: string;
  readonly bucket: string;
  readonly clock?: Clock;
}

/** A rotation is noticed within five minutes; the previous key works for a day longer. */
const KEY_CACHED_MS = 5 * 60 * 1000;

/** Signs with the long-lived key of the signing user: a role's session would end the URL early. */
export function s3ResultSigner(options: ResultSignerOptions): ResultSigner {
  const clock = options.clock ?? (() => new Date());
  const client = remembered(() => openClient(options, clock), { afterMs: KEY_CACHED_MS, clock });
  return {
    async sign(batchId, jobId) {
      const command = new GetObjectCommand({
        Bucket: options.bucket,
        Key: rasterKey(batchId, jobId),
        ResponseContentDisposition: contentDisposition(batchId, jobId),
      });
      const url = await getSignedUrl(await client(), command, {
        expiresIn: SIGNED_URL_SECONDS,
        signingDate: clock(),
      });
      return timesOf(url);
    },
  };
}

function contentDisposition(batchId: BatchId, jobId: JobId): string {
  return `attachment; filename="${batchId}_${jobId}.tif"`;
}

async function openClient(options: ResultSignerOptions, clock: Clock): Promise<S3Client> {
  const { accessKeyId, secretAccessKey } = await currentKey(options, timestamp(clock()));
  return new S3Client({
    ...CLIENT_OPTIONS,
    credentials: { accessKeyId, secretAccessKey },
    // No checksum parameters in the URL: they are of the SDK's own downloads, not of plain clients.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

async function currentKey(
  { secrets, secretArn }: ResultSignerOptions,
  now: string,
): Promise<SigningKey> {
  const current = await readKeyAt(secrets, secretArn, 'current');
  if (current === null) {
    throw new SigningKeyUnavailable('the signing secret holds no key yet');
  }
  if (isSettled(current, now)) return current;
  return chooseKey(current, await readKeyAt(secrets, secretArn, 'previous'), now);
}

/** What the URL says of itself (SigV4 query parameters), so that no other clock is involved. */
function timesOf(url: string): SignedUrl {
  const query = new URL(url).searchParams;
  const date = query.get('X-Amz-Date') ?? '';
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const createdAt = timestamp(new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`));
  return { url, createdAt, expiresAt: addSeconds(createdAt, Number(query.get('X-Amz-Expires'))) };
}
