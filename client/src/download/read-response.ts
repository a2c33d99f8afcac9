import type { ResultFile } from './sink.ts';

/** What a response to a download has, by its headers. */
export type DownloadResponse =
  /** The bytes from `start` of the expected content; `total` is the size of the whole, if known. */
  | { readonly kind: 'bytes'; readonly start: number; readonly total: number | null }
  /** 403 or 401: the signed URL is no longer valid. */
  | { readonly kind: 'expired' }
  /** A failure that may pass. */
  | { readonly kind: 'transient'; readonly reason: string }
  /** The partial file can't be continued. */
  | { readonly kind: 'restart'; readonly reason: string }
  | { readonly kind: 'final'; readonly reason: string };

/** @param requested the first byte that was requested */
export function readResponse(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  file: Pick<ResultFile, 'etag' | 'bytes'>,
  requested: number,
): DownloadResponse {
  if (status === 401 || status === 403) return { kind: 'expired' };
  if (status === 416) return { kind: 'restart', reason: 'HTTP 416' };
  if (status === 408 || status === 429 || status >= 500) {
    return { kind: 'transient', reason: `HTTP ${status}` };
  }
  if (status !== 200 && status !== 206) return { kind: 'final', reason: `HTTP ${status}` };

  const etag = headers.get('ETag');
  const other = etag !== null && file.etag !== null && strong(etag) !== strong(file.etag);
  if (other) return { kind: 'restart', reason: 'the file has another ETag than the status gives' };
  if (status === 200) return { kind: 'bytes', start: 0, total: lengthOf(headers) ?? file.bytes };

  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('Content-Range') ?? '');
  if (range === null || Number(range[1]) !== requested) {
    return { kind: 'restart', reason: 'another range than requested' };
  }
  // Bytes may be joined to those of an earlier response only if both are of one content.
  if (etag === null) return { kind: 'restart', reason: 'a range without ETag' };
  const total = range[2] === '*' ? file.bytes : Number(range[2]);
  return { kind: 'bytes', start: requested, total };
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
