/** What a response to a download has, by its headers. */
export type DownloadResponse =
  /** The bytes from `start` of the expected content; `total` is the size of the whole, if known. */
  | {
      readonly kind: 'bytes';
      readonly start: number;
      readonly total: number | null;
      readonly etag: string | null;
    }
  /** 403 or 401: the signed URL is no longer valid. */
  | { readonly kind: 'expired' }
  /** A failure that may pass. */
  | { readonly kind: 'transient'; readonly reason: string }
  /** The partial file can't be continued. */
  | { readonly kind: 'restart'; readonly reason: string }
  | { readonly kind: 'final'; readonly reason: string };

/**
 * @param expected the ETag of the content; null if it is not known
 * @param requested the first byte that was requested
 */
export function readResponse(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  expected: string | null,
  requested: number,
): DownloadResponse {
  if (status === 401 || status === 403) return { kind: 'expired' };
  if (status === 416) return { kind: 'restart', reason: 'HTTP 416' };
  if (status === 408 || status === 429 || status >= 500) {
    return { kind: 'transient', reason: `HTTP ${status}` };
  }
  if (status !== 200 && status !== 206) return { kind: 'final', reason: `HTTP ${status}` };

  const etag = headers.get('ETag');
  if (expected !== null) {
    // Such as the sign-in page of a network, with status 200.
    if (etag === null) return { kind: 'transient', reason: 'a response without ETag' };
    if (strong(etag) !== strong(expected)) return { kind: 'restart', reason: 'another ETag' };
  }
  if (status === 200) return { kind: 'bytes', start: 0, total: lengthOf(headers), etag };

  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('Content-Range') ?? '');
  // Bytes may be joined to those of an earlier response only if both are of one content.
  if (range === null || Number(range[1]) !== requested || expected === null) {
    return { kind: 'restart', reason: 'another range than requested' };
  }
  return { kind: 'bytes', start: requested, total: Number(range[2]) || null, etag };
}

/** A proxy that compresses makes a tag weak, and its length that of other bytes. */
function strong(etag: string): string {
  return etag.replace(/^W\//, '');
}

function lengthOf(headers: Headers): number | null {
  const length = headers.get('Content-Length');
  const encoded = headers.get('Content-Encoding') !== null;
  return length === null || encoded || !/^\d+$/.test(length) ? null : Number(length);
}
