export type DownloadResponse =
  /** The bytes from `start` of the expected content. */
  | { readonly kind: 'bytes'; readonly start: number }
  /** 403 or 401: the signed URL is no longer valid. */
  | { readonly kind: 'expired' }
  | { readonly kind: 'transient'; readonly reason: string }
  | { readonly kind: 'final'; readonly reason: string };

/**
 * @param expected the ETag of the content
 * @param requested the first byte that was requested
 */
export function readResponse(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  expected: string,
  requested: number,
): DownloadResponse {
  if (status === 401 || status === 403) return { kind: 'expired' };
  if (status === 408 || status === 429 || status >= 500) {
    return { kind: 'transient', reason: `HTTP ${status}` };
  }
  if (status !== 200 && status !== 206) return { kind: 'final', reason: `HTTP ${status}` };

  const etag = headers.get('ETag');
  // A response without an ETag may be a network's sign-in page with status 200.
  if (etag === null) return { kind: 'transient', reason: 'the response has no ETag' };
  if (toStrongTag(etag) !== toStrongTag(expected)) {
    return { kind: 'final', reason: "its ETag differs from the job's" };
  }
  if (status === 200) return { kind: 'bytes', start: 0 };

  const range = /^bytes (\d+)-\d+\/(?:\d+|\*)$/.exec(headers.get('Content-Range') ?? '');
  if (range === null || Number(range[1]) !== requested) {
    return {
      kind: 'transient',
      reason: 'the response has a different range from the one requested',
    };
  }
  return { kind: 'bytes', start: requested };
}

/** A proxy that compresses makes the ETag weak. */
function toStrongTag(etag: string): string {
  return etag.replace(/^W\//, '');
}
