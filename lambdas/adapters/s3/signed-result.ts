import { addSeconds, timestamp } from '../../domain/clock.ts';
import type { SignedUrl } from '../../domain/job/reading/result-signer.ts';
import { SIGNED_URL_SECONDS } from '../../domain/limits.ts';
import type { ResultUrls } from '../signing-key/result-urls.ts';
import { resultsEndpoint, urlPresigner } from './presigned-url.ts';

/** URLs of S3, signed with the access key of the signing user. */
export function s3Urls(bucket: string): ResultUrls {
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
