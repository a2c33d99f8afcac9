import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { type Clock, timestamp } from '../../domain/clock.ts';
import {
  type ResultSigner,
  SigningKeyUnavailable,
} from '../../domain/job/reading/result-signer.ts';
import { chooseKey, isSettled, type SigningKey } from '../../domain/signing/signing-key.ts';
import { TransientFailure } from '../../domain/transient-failure.ts';
import { memoized } from '../memoized.ts';
import { rasterKey } from '../s3/raster-key.ts';
import { asTransientFailure } from '../service-failure.ts';
import { readKeyAt } from './key-vault.ts';
import type { ResultUrls } from './result-urls.ts';

export interface ResultSignerOptions {
  readonly secrets: SecretsManagerClient;
  readonly secretArn: string;
  readonly urls: ResultUrls;
  readonly clock?: Clock;
}

/** A rotation is noticed within five minutes; the previous key is valid for a day longer. */
const KEY_CACHED_MS = 5 * 60 * 1000;

/**
 * Signs with the long-lived key in the secret: a URL signed with a role's session would expire with the
 * session.
 */
export function resultSigner(options: ResultSignerOptions): ResultSigner {
  const clock = options.clock ?? (() => new Date());
  const signUrl = memoized(() => openSigner(options, clock), { afterMs: KEY_CACHED_MS, clock });
  return {
    async sign(batchId, jobId, fileName, method = 'GET') {
      const sign = await signUrl().catch(unavailable);
      return sign({ key: rasterKey(batchId, jobId), fileName, method, at: clock() });
    },
  };
}

/** A secret that cannot be read now is handled like one without a key. */
function unavailable(error: unknown): never {
  const failure = asTransientFailure(error);
  if (!(failure instanceof TransientFailure)) throw error;
  throw new SigningKeyUnavailable(failure.message, { cause: error });
}

async function openSigner(options: ResultSignerOptions, clock: Clock) {
  return options.urls.signerWith(await currentKey(options, timestamp(clock())));
}

async function currentKey(
  { secrets, secretArn, urls: { kind } }: ResultSignerOptions,
  now: string,
): Promise<SigningKey> {
  const current = await readKeyAt(secrets, secretArn, kind, 'current');
  if (current === null) {
    throw new SigningKeyUnavailable('the signing secret holds no key yet');
  }
  if (isSettled(current, now)) return current;
  return chooseKey(current, await readKeyAt(secrets, secretArn, kind, 'previous'), now);
}
