/** Whether an href is a URL instead of a path inside the pack. */
export function isUrl(href: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(href);
}

export interface S3Object {
  readonly bucket: string;
  readonly key: string;
}

/** Bucket names follow S3's rule; keys exclude characters with a meaning in IAM policies. */
const S3_URL = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(?<key>[^\s*?$#]+)$/;

/** An href that is not `s3://bucket/key` names no object. */
export function s3ObjectOf(href: string): S3Object | null {
  const { bucket, key } = S3_URL.exec(href)?.groups ?? {};
  return bucket === undefined || key === undefined ? null : { bucket, key };
}
