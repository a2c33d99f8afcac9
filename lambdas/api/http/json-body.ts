import { isUtf8 } from 'node:buffer';
import { depthOf } from '../../domain/json/json-spans.ts';
import { LIMITS } from '../../domain/limits.ts';
import { Problem, violationsProblem } from './problem.ts';
import type { ApiRequest } from './request.ts';

const JSON_TYPE = /^\s*application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;
const BYTE_ORDER_MARKS = [
  [0xef, 0xbb, 0xbf],
  [0xfe, 0xff],
  [0xff, 0xfe],
] as const;

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
  if (BYTE_ORDER_MARKS.some((mark) => mark.every((byte, index) => body[index] === byte))) {
    throw new Problem('not-utf-8', 'The body starts with a byte order mark; leave it out.');
  }
  if (!isUtf8(body)) throw new Problem('not-utf-8', 'The body holds bytes that are not UTF-8.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // Only the position: the parser's own message quotes the body, which may hold a secret.
    const position = error instanceof Error ? /position (\d+)/.exec(error.message)?.[1] : undefined;
    const where =
      text.trim() === ''
        ? 'The body is empty'
        : position === undefined
          ? 'The body is not a JSON text'
          : `The body stops being JSON at character ${position}`;
    throw new Problem('not-json', `${where}; it must be one JSON object.`);
  }
}
