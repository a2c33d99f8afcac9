import { createPrivateKey, sign } from 'node:crypto';
import { addSeconds, timestamp } from '../../domain/clock.ts';
import type { SignedUrl } from '../../domain/job/reading/result-signer.ts';
import { SIGNED_URL_SECONDS } from '../../domain/limits.ts';
import type { SigningKey } from '../../domain/signing/signing-key.ts';
import { resultsEndpoint, urlPresigner } from '../s3/presigned-url.ts';
import type { KeyKind } from './key-vault.ts';

/** A request for an object of the results bucket. */
export interface SignedRequest {
  /** Must need no escaping, as ids do not. */
  readonly key: string;
  /** ASCII without quotes. */
  readonly fileName: string;
  readonly method: 'GET' | 'HEAD';
  readonly at: Date;
}

/** How URLs of results are signed, for whoever verifies them. Each is valid for `SIGNED_URL_SECONDS`. */
export interface ResultUrls {
  readonly kind: KeyKind;
  signerWith(key: SigningKey): (request: SignedRequest) => Promise<SignedUrl>;
}

/** @param origin of the distribution that serves results; null if S3 does */
export function resultUrls(bucket: string, origin: string | null): ResultUrls {
  return origin === null ? s3Urls(bucket) : cloudFrontUrls(origin);
}

/** URLs of S3, signed with the access key of the signing user. */
function s3Urls(bucket: string): ResultUrls {
  return {
    kind: 'access-key',
    signerWith({ keyId, secret }) {
      const credentials = { accessKeyId: keyId, secretAccessKey: secret };
      const sign = urlPresigner(bucket, credentials, resultsEndpoint());
      return async ({ key, fileName, method, at }) =>
        timesOf(
          await sign(key, {
            at,
            expiresInSeconds: SIGNED_URL_SECONDS,
            operation: method === 'HEAD' ? 'HeadObject' : 'GetObject',
            query: { 'response-content-disposition': `attachment; filename="${fileName}"` },
          }),
        );
    },
  };
}

/** Reads the times from the URL (SigV4 query parameters), so that no other clock is involved. */
function timesOf(url: string): SignedUrl {
  const query = new URL(url).searchParams;
  const date = query.get('X-Amz-Date') ?? '';
  const [, year, month, day, hour, minute, second] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(date) ?? [];
  const createdAt = timestamp(new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`));
  return { url, createdAt, expiresAt: addSeconds(createdAt, Number(query.get('X-Amz-Expires'))) };
}

/**
 * URLs of a CloudFront distribution, signed with ECDSA on P-256 and a canned policy. Such a URL is valid for
 * every method that the distribution allows: GET and HEAD.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-creating-signed-url-canned-policy.html
 */
function cloudFrontUrls(origin: string): ResultUrls {
  return {
    kind: 'key-pair',
    signerWith({ keyId, secret }) {
      const privateKey = createPrivateKey(secret);
      return async ({ key, fileName, at }) => {
        const disposition = encodeURIComponent(`attachment; filename="${fileName}"`);
        const url = `${origin}/${key}?response-content-disposition=${disposition}`;
        const signedAt = Math.floor(at.getTime() / 1000);
        const expires = signedAt + SIGNED_URL_SECONDS;
        const signature = urlSafe(
          sign('sha256', Buffer.from(cannedPolicy(url, expires)), privateKey),
        );
        return {
          url: `${url}&Expires=${expires}&Signature=${signature}&Key-Pair-Id=${keyId}&Hash-Algorithm=SHA256`,
          createdAt: timestamp(new Date(signedAt * 1000)),
          expiresAt: timestamp(new Date(expires * 1000)),
        };
      };
    },
  };
}

/** CloudFront rebuilds it from the URL, so each byte counts. */
function cannedPolicy(url: string, expires: number): string {
  const condition = { DateLessThan: { 'AWS:EpochTime': expires } };
  return JSON.stringify({ Statement: [{ Resource: url, Condition: condition }] });
}

function urlSafe(signature: Buffer): string {
  return signature
    .toString('base64')
    .replaceAll('+', '-')
    .replaceAll('=', '_')
    .replaceAll('/', '~');
}
