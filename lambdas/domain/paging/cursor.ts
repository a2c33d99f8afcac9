import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a cursor belongs to: it opens the next page of exactly this list and of no other. */
export interface CursorScope {
  readonly tenant: string;
  /** The list, by the ids that name it and the filter that shaped it. */
  readonly resource: readonly string[];
}

/** The next page: where it starts and how long pages of this walk are. */
export interface Page {
  readonly first: number;
  readonly limit: number;
}

/** 1 byte of format version, 4 of position, 2 of page size, then the tag. */
const FORMAT = 1;
const HEAD_BYTES = 7;
/** HMAC-SHA-256 cut to 128 bits, as RFC 2104 section 5 allows. */
const TAG_BYTES = 16;

/** Opaque to clients: base64url of the page and an HMAC over it and its scope. */
export function encodeCursor(key: Uint8Array, scope: CursorScope, page: Page): string {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(FORMAT, 0);
  head.writeUInt32BE(page.first, 1);
  head.writeUInt16BE(page.limit, 5);
  return seal(key, scope, head);
}

/** @returns null when the text is no cursor of this scope: altered, cut, or made for another list */
export function decodeCursor(key: Uint8Array, scope: CursorScope, text: string): Page | null {
  const head = openSealed(key, scope, text, HEAD_BYTES);
  if (head === null || head.readUInt8(0) !== FORMAT) return null;
  return { first: head.readUInt32BE(1), limit: head.readUInt16BE(5) };
}

/** The bytes with an HMAC over them and their scope, as base64url. */
export function seal(key: Uint8Array, scope: CursorScope, head: Uint8Array): string {
  return Buffer.concat([head, tagOf(key, scope, head)]).toString('base64url');
}

/** @returns the sealed bytes; null when it were other bytes, another scope or another key */
export function openSealed(
  key: Uint8Array,
  scope: CursorScope,
  text: string,
  headBytes: number,
): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  // Decoding forgives stray characters and trailing bits: only the one spelling counts.
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
