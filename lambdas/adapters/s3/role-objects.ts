import { objectRequests } from './object-request.ts';
import { CONTENT_TYPE, type Objects, rangeHeader } from './objects.ts';

/** Uses the function's own role, without the SDK's S3 client. */
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
