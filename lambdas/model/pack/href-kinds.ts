/** Whether an href is an address and no path inside the pack. */
export function isAddress(href: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(href);
}

export interface S3Object {
  readonly bucket: string;
  readonly key: string;
}

/** Of bucket names S3's own rule; of keys no character that means more than itself in a policy. */
const S3_ADDRESS = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(?<key>[^\s*?$#]+)$/;

/** null for what is no `s3://bucket/key`. */
export function s3ObjectOf(href: string): S3Object | null {
  const { bucket, key } = S3_ADDRESS.exec(href)?.groups ?? {};
  return bucket === undefined || key === undefined ? null : { bucket, key };
}
