/** Port to the key that signs cursors, so that a client can't forge one. */
export interface CursorKey {
  readonly cursorKey: () => Promise<Uint8Array>;
}
