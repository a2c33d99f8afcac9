import { objectRequests } from './object-request.ts';

/** Reads small objects with the function's own role, without the SDK's S3 client. */
export function objectReader(bucket: string): (key: string) => Promise<string> {
  const request = objectRequests(bucket);
  return (key) => request('GetObject', key);
}
