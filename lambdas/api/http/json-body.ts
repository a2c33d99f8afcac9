import { isUtf8 } from 'node:buffer';
import { LIMITS } from '../../domain/limits.ts';
import { faultIn } from '../../json/json-fault.ts';
import { depthOf } from '../../json/json-spans.ts';
import { Problem, violationsProblem } from './problem.ts';
import type { ApiRequest } from './request.ts';

const JSON_TYPE = /^\s*application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;
const starts = (body: Uint8Array, ...bytes: readonly number[]) =>
  bytes.every((byte, index) => body[index] === byte);

/**
 * The body's JSON value. Size, encoding and depth are bounded before anything is parsed.
 * @throws Problem 400, 413, 415 or 422
 */
export function readJsonBody(request: ApiRequest): unknown {
  refuseMediaType(request.header('content-type'));
  const { body } = request;
  if (body.length > LIMITS.bodyBytes) {
    throw new Problem(
      'body-too-large',
      `The body has ${body.length} bytes; at most ${LIMITS.bodyBytes} are allowed.`,
    );
  }
  refuseEncoding(body);
  const depth = depthOf(body);
  if (depth > LIMITS.jsonDepth) {
    throw violationsProblem('validation', [
      {
        pointer: '',
        message: `may nest arrays and objects ${LIMITS.jsonDepth} deep; got ${depth} levels`,
      },
    ]);
  }
  return parse(new TextDecoder().decode(body));
}

/** An absent type is taken for JSON: there is nothing else the body could be. */
function refuseMediaType(type: string | null): void {
  if (type === null || type.trim() === '') return;
  const charset = CHARSET.exec(type)?.[1]?.toLowerCase();
  if (JSON_TYPE.test(type) && (charset === undefined || /^utf-?8$/.test(charset))) return;
  throw new Problem(
    'media-type',
    `Send application/json in UTF-8; the content type was ${JSON.stringify(type.slice(0, 100))}.`,
    { headers: { 'Accept-Post': 'application/json' } },
  );
}

function refuseEncoding(body: Uint8Array): void {
  if (starts(body, 0xef, 0xbb, 0xbf)) {
    throw new Problem('not-utf-8', 'The body starts with a byte order mark; leave it out.');
  }
  if (starts(body, 0xfe, 0xff) || starts(body, 0xff, 0xfe)) {
    throw new Problem('not-utf-8', 'The body is UTF-16, by its byte order mark; send UTF-8.');
  }
  // RFC 1952, section 2.3.1
  if (starts(body, 0x1f, 0x8b)) {
    throw new Problem('not-utf-8', 'The body is gzip; say so by Content-Encoding: gzip.');
  }
  if (!isUtf8(body)) throw new Problem('not-utf-8', 'The body holds bytes that are not UTF-8.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Only the place: the parser's own message quotes the body, which may hold a secret.
    throw new Problem('not-json', `${faultOf(text)}; it must be one JSON object.`);
  }
}

function faultOf(text: string): string {
  if (text.trim() === '') return 'The body is empty';
  const fault = faultIn(text);
  const lines = text.slice(0, fault).split('\n');
  const place = `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
  return fault < text.length
    ? `The body stops being JSON at ${place}`
    : `The body ends in the middle of its JSON, at ${place}`;
}
