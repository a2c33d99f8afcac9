import { objectRequests } from './object-request.ts';

export interface Objects {
  /** @param range the bytes to read; by default the whole object */
  read(key: string, range?: ByteRange): Promise<Uint8Array>;
  /** @param body JSON, or one JSON value per line */
  write(key: string, body: string | Uint8Array): Promise<void>;
}

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

export const CONTENT_TYPE = 'application/json';

/** RFC 9110, section 14.1.2: both ends are inclusive. */
export function rangeHeader({ offset, length }: ByteRange): string {
  return `bytes=${offset}-${offset + length - 1}`;
}

/** Uses the function's role, without the SDK's S3 client. */
export function roleObjects(bucket: string): Objects {
  const request = objectRequests(bucket);
  return {
    read(key, range) {
      const headers = range === undefined ? {} : { Range: rangeHeader(range) };
      return request('GetObject', key, { headers });
    },
    async write(key, body) {
      await request('PutObject', key, { headers: { 'Content-Type': CONTENT_TYPE }, body });
    },
  };
}
