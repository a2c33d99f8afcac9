import { parse, stringify } from 'uuid';
import type { BatchPosition } from '../batch/batch-store.ts';
import { timestamp } from '../clock.ts';
import { type CursorScope, openSealed, seal } from './cursor.ts';

/** The next page of a list of batches: the position before it, and its size. */
export interface PositionPage {
  readonly after: BatchPosition;
  readonly limit: number;
}

/** 1 byte format version, 6 bytes creation time in milliseconds, 16 bytes batch id, 2 bytes page size. */
const FORMAT = 2;
const HEAD_BYTES = 25;

/** Like {@link encodeCursor}, for a position in a list of batches. */
export function encodePositionCursor(
  key: Uint8Array,
  scope: CursorScope,
  page: PositionPage,
): string {
  const { createdAt, batchId } = page.after;
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(FORMAT, 0);
  head.writeUIntBE(Date.parse(createdAt), 1, 6);
  head.set(parse(batchId), 7);
  head.writeUInt16BE(page.limit, 23);
  return seal(key, scope, head);
}

/** @returns null if the text is no cursor of this scope: changed, truncated, or of another list */
export function decodePositionCursor(
  key: Uint8Array,
  scope: CursorScope,
  text: string,
): PositionPage | null {
  const head = openSealed(key, scope, text, HEAD_BYTES);
  if (head === null || head.readUInt8(0) !== FORMAT) return null;
  const createdAt = timestamp(new Date(head.readUIntBE(1, 6)));
  const batchId = stringify(head.subarray(7, 23));
  return { after: { createdAt, batchId }, limit: head.readUInt16BE(23) };
}
