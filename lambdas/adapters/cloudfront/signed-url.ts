import { createPrivateKey, sign } from 'node:crypto';
import { timestamp } from '../../domain/clock.ts';
import { SIGNED_URL_SECONDS } from '../../domain/limits.ts';
import type { ResultUrls } from '../signing-key/result-urls.ts';

/**
 * URLs of a CloudFront distribution, signed with ECDSA on P-256 and a canned policy. Such a URL is valid for
 * every method that the distribution allows: GET and HEAD.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-creating-signed-url-canned-policy.html
 */
export function cloudFrontUrls(origin: string): ResultUrls {
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
