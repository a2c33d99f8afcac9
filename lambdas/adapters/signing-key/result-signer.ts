import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { addSeconds, type Clock, timestamp } from '../../domain/clock.ts';
import {
  type ResultSigner,
  type SignedUrl,
  SigningKeyUnavailable,
} from '../../domain/job/reading/result-signer.ts';
import { SIGNED_URL_SECONDS } from '../../domain/limits.ts';
import { chooseKey, isSettled, type SigningKey } from '../../domain/signing/signing-key.ts';
import { TransientFailure } from '../../domain/step-failure.ts';
import { memoize } from '../memoized.ts';
import { resultsEndpoint, urlPresigner } from '../s3/presigned-url.ts';
import { rasterKey } from '../s3/raster-key.ts';
import { asTransientFailure } from '../service-failure.ts';
import { readKeyAt } from './key-vault.ts';

export interface ResultSignerOptions {
  readonly secrets: SecretsManagerClient;
  readonly secretArn: string;
  readonly bucket: string;
  readonly clock?: Clock;
}

/** A function notices a new key within five minutes. A rotation keeps the replaced key valid for longer than a day. */
const KEY_CACHED_MS = 5 * 60 * 1000;

/** Signs with the long-lived key in the secret, because a URL signed with a role's session expires with the session. */
export function resultSigner(options: ResultSignerOptions): ResultSigner {
  const clock = options.clock ?? (() => new Date());
  const presigner = memoize(() => openPresigner(options, clock), {
    afterMs: KEY_CACHED_MS,
    clock,
  });
  return {
    async sign(batchId, jobId, fileName, method = 'GET') {
      const presign = await presigner().catch(throwUnavailable);
      const url = await presign(rasterKey(batchId, jobId), {
        at: clock(),
        expiresInSeconds: SIGNED_URL_SECONDS,
        operation: method === 'HEAD' ? 'HeadObject' : 'GetObject',
        query: { 'response-content-disposition': `attachment; filename="${fileName}"` },
      });
      return parseSignedUrl(url);
    },
  };
}

/** Treats a secret that cannot be read now like a secret without a key. */
function throwUnavailable(error: unknown): never {
  const failure = asTransientFailure(error);
  if (!(failure instanceof TransientFailure)) throw error;
  throw new SigningKeyUnavailable(failure.message, { cause: error });
}

async function openPresigner(options: ResultSignerOptions, clock: Clock) {
  const { keyId, secret } = await currentKey(options, timestamp(clock()));
  const credentials = { accessKeyId: keyId, secretAccessKey: secret };
  return urlPresigner(options.bucket, credentials, resultsEndpoint());
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

/** Reads the times from the URL's SigV4 query parameters. */
function parseSignedUrl(url: string): SignedUrl {
  const query = new URL(url).searchParams;
  const date = query.get('X-Amz-Date') ?? '';
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const createdAt = timestamp(new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`));
  return { url, createdAt, expiresAt: addSeconds(createdAt, Number(query.get('X-Amz-Expires'))) };
}
