import { createHmac, timingSafeEqual } from 'node:crypto';
import { parse, stringify } from 'uuid';
import type { BatchPosition } from './batch/batch.ts';
import { timestamp } from './clock.ts';

/** Port to the key that signs cursors, so that clients cannot forge them. */
export interface CursorKey {
  readonly cursorKey: () => Promise<Uint8Array>;
}

/** A cursor is invalid for any other list. */
export interface CursorScope {
  readonly tenant: string;
  /** The IDs and filters that identify the list. */
  readonly resource: readonly string[];
}

export interface Page {
  readonly first: number;
  readonly limit: number;
}

/** A cursor has 1 byte of format version, 4 bytes of position, 2 bytes of page size, then the tag. */
const FORMAT = 1;
const HEAD_BYTES = 7;
/** The tag is an HMAC-SHA-256, truncated to 128 bits (RFC 2104, section 5). */
const TAG_BYTES = 16;

/** Encodes a page as base64url of the page and an HMAC over the page and its scope. */
export function encodeCursor(key: Uint8Array, scope: CursorScope, page: Page): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(FORMAT, 0);
  head.writeUInt32BE(page.first, 1);
  head.writeUInt16BE(page.limit, 5);
  return encodeSigned(key, scope, head);
}

/** @returns null if the text is not a cursor of this scope */
export function decodeCursor(key: Uint8Array, scope: CursorScope, text: string): Page | null {
  const head = decodeSigned(key, scope, text, HEAD_BYTES);
  if (head === null || head.readUInt8(0) !== FORMAT) return null;
  return { first: head.readUInt32BE(1), limit: head.readUInt16BE(5) };
}

function encodeSigned(key: Uint8Array, scope: CursorScope, head: Uint8Array): string {
  return Buffer.concat([head, tagOf(key, scope, head)]).toString('base64url');
}

/** @returns the authenticated bytes; null if the bytes, the scope or the key differ */
function decodeSigned(
  key: Uint8Array,
  scope: CursorScope,
  text: string,
  headBytes: number,
): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  // Decoding ignores stray characters and trailing bits, so only the canonical encoding is accepted.
  if (bytes.length !== headBytes + TAG_BYTES || bytes.toString('base64url') !== text) return null;
  const head = bytes.subarray(0, headBytes);
  return timingSafeEqual(bytes.subarray(headBytes), tagOf(key, scope, head)) ? head : null;
}

function tagOf(key: Uint8Array, scope: CursorScope, head: Uint8Array): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([scope.tenant, ...scope.resource]))
    .update('\0')
    .update(head)
    .digest()
    .subarray(0, TAG_BYTES);
}

/** `after` is the last batch before the page. */
interface PositionPage {
  readonly after: BatchPosition;
  readonly limit: number;
}

/**
 * A position cursor has 1 byte of format version, 6 bytes of creation time in milliseconds, 16 bytes of batch ID, 2
 * bytes of page size, then the tag.
 */
const POSITION_FORMAT = 2;
const POSITION_HEAD_BYTES = 25;

/** Works like {@link encodeCursor}, for a position in a list of batches. */
export function encodePositionCursor(
  key: Uint8Array,
  scope: CursorScope,
  page: PositionPage,
): string {
  const { createdAt, batchId } = page.after;
  const head = Buffer.alloc(POSITION_HEAD_BYTES);
  head.writeUInt8(POSITION_FORMAT, 0);
  head.writeUIntBE(Date.parse(createdAt), 1, 6);
  head.set(parse(batchId), 7);
  head.writeUInt16BE(page.limit, 23);
  return encodeSigned(key, scope, head);
}

/** @returns null if the text is not a cursor of this scope */
export function decodePositionCursor(
  key: Uint8Array,
  scope: CursorScope,
  text: string,
): PositionPage | null {
  const head = decodeSigned(key, scope, text, POSITION_HEAD_BYTES);
  if (head === null || head.readUInt8(0) !== POSITION_FORMAT) return null;
  const createdAt = timestamp(new Date(head.readUIntBE(1, 6)));
  const batchId = stringify(head.subarray(7, 23));
  return { after: { createdAt, batchId }, limit: head.readUInt16BE(23) };
}
