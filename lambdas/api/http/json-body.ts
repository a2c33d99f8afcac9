import { isUtf8 } from 'node:buffer';
import { gunzipSync } from 'node:zlib';
import { measureJsonShape } from '#engine/json/json-bytes.ts';
import { findJsonFault } from '#engine/json/json-fault.ts';
import { isNestedDeeper } from '#engine/json/json-object.ts';
import type { Violation } from '../../domain/batch/requested-batch.ts';
import { LIMITS } from '../../domain/limits.ts';
import { Problem, violationsProblem } from './problem.ts';
import type { ApiRequest } from './request.ts';

const JSON_TYPE = /^\s*application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

const startsWithBytes = (body: Uint8Array, ...bytes: readonly number[]) =>
  bytes.every((byte, index) => body[index] === byte);

/**
 * Checks size, encoding and depth before it parses.
 * @param levels how many levels arrays and objects may nest
 * @throws Problem 400, 413, 415 or 422
 */
export function readJsonBody(request: ApiRequest, levels: number = LIMITS.jsonDepth): unknown {
  rejectMediaType(request.header('content-type'));
  const { body } = request;
  if (body.length > LIMITS.bodyBytes) {
    throw new Problem(
      'body-too-large',
      `The body has ${body.length} bytes; at most ${LIMITS.bodyBytes} are allowed.`,
    );
  }
  rejectEncoding(body);
  const { depth } = measureJsonShape(body);
  if (depth > levels) {
    const message = `may nest arrays and objects at most ${levels} levels deep; got ${depth} levels`;
    throw violationsProblem('validation', [{ pointer: '', message }]);
  }
  return parse(new TextDecoder().decode(body));
}

/** Checks the depth of a value that is returned to clients, because their parsers recurse. */
export function* depthViolations(pointer: string, value: unknown): Generator<Violation> {
  if (!isNestedDeeper(value, LIMITS.jsonDepth)) return;
  const message = `may nest arrays and objects at most ${LIMITS.jsonDepth} levels deep`;
  yield { pointer, message };
}

/** An absent type counts as `application/json`. */
function rejectMediaType(type: string | null): void {
  if (type === null || type.trim() === '') return;
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase();
  if (JSON_TYPE.test(type) && (charset === undefined || /^utf-?8$/.test(charset))) return;
  throw new Problem(
    'media-type',
    `Send application/json in UTF-8; the content type was ${JSON.stringify(type.slice(0, 100))}.`,
    { headers: { 'Accept-Post': 'application/json' } },
  );
}

function rejectEncoding(body: Uint8Array): void {
  if (startsWithBytes(body, 0xef, 0xbb, 0xbf)) {
    throw new Problem('not-utf-8', 'The body starts with a byte order mark; remove it.');
  }
  if (startsWithBytes(body, 0xfe, 0xff) || startsWithBytes(body, 0xff, 0xfe)) {
    throw new Problem('not-utf-8', 'The body has the byte order mark of UTF-16; send UTF-8.');
  }
  // The first bytes of gzip (RFC 1952, section 2.3.1).
  if (startsWithBytes(body, 0x1f, 0x8b)) {
    throw new Problem(
      'not-utf-8',
      'The body is compressed with gzip; send the header Content-Encoding: gzip with it.',
    );
  }
  if (!isUtf8(body)) throw new Problem('not-utf-8', 'The body is not valid UTF-8.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // V8's own message is not used, because it quotes the body, which may contain a secret.
    throw new Problem('not-json', `${describeFault(text)}; it must be one JSON object.`);
  }
}

function describeFault(text: string): string {
  if (text.trim() === '') return 'The body is empty';
  const fault = findJsonFault(text);
  const lines = text.slice(0, fault).split('\n');
  const position = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
  return fault < text.length
    ? `The body is not valid JSON at ${position}`
    : `The body ends before its JSON does, at ${position}`;
}

const PLAIN = /^\s*(?:identity)?\s*$/i;

/** `x-gzip` is equivalent to `gzip` (RFC 9110, section 8.4.1.3). */
const GZIP = /^\s*(?:x-)?gzip\s*$/i;

/**
 * Returns the request with its body decompressed. API Gateway may decompress a gzip body and keep the header, so the
 * first bytes of the body (RFC 1952, section 2.3.1) decide whether it is still compressed.
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
        `The decompressed body exceeds the limit of ${LIMITS.bodyBytes} bytes.`,
      );
    }
    throw new Problem(
      'not-json',
      'The body is not valid gzip; send one JSON object, compressed as a whole.',
    );
  }
}
