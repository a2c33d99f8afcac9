import { gunzipSync } from 'node:zlib';
import { LIMITS } from '../../domain/limits.ts';
import { Problem } from '../problems/problem.ts';
import type { ApiRequest } from './request.ts';

/** RFC 9110, section 8.4.1.3: `x-gzip` is `gzip`. */
const PLAIN = /^\s*(?:identity)?\s*$/i;
const GZIP = /^\s*(?:x-)?gzip\s*$/i;

/**
 * The request with its body decompressed. API Gateway may decompress a gzip body and keep the header, so
 * the first bytes of the body (RFC 1952, section 2.3.1) decide whether it is still compressed.
 * @throws Problem 400, 413 or 415
 */
export function withPlainBody(request: ApiRequest): ApiRequest {
  const coding = request.header('content-encoding') ?? '';
  if (PLAIN.test(coding)) return request;
  if (!GZIP.test(coding)) {
    throw new Problem(
      'media-type',
      `Send the body uncompressed or with Content-Encoding: gzip; the content encoding was ${JSON.stringify(coding.slice(0, 100))}.`,
      { headers: { 'Accept-Post': 'application/json', 'Accept-Encoding': 'gzip, identity' } },
    );
  }
  const isCompressed = request.body[0] === 0x1f && request.body[1] === 0x8b;
  return isCompressed ? { ...request, body: decompress(request.body) } : request;
}

function decompress(body: Uint8Array): Uint8Array {
  try {
    return gunzipSync(body, { maxOutputLength: LIMITS.bodyBytes });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new Problem(
        'body-too-large',
        `The decompressed body has more than the ${LIMITS.bodyBytes} bytes that are allowed.`,
      );
    }
    throw new Problem(
      'not-json',
      'The body is not valid gzip; send one JSON object, compressed as a whole.',
    );
  }
}
