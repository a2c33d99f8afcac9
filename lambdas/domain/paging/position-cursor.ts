import { parse, stringify } from 'uuid';
import type { BatchPosition } from '../batch/batch-index.ts';
import { timestamp } from '../clock.ts';
import { type CursorScope, openSealed, seal } from './cursor.ts';

/** The next page of a list of batches: what it stands after, and how long its pages are. */
export interface PositionPage {
  readonly after: BatchPosition;
  readonly limit: number;
}

/** 1 byte of format version, 6 of creation time in milliseconds, 16 of batch id, 2 of page size. */
const FORMAT = 2;
const HEAD_BYTES = 25;

/** As {@link encodeCursor}, of a place that no number names. */
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

/** @returns null when the text is no cursor of this scope: altered, cut, or made for another list */
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
