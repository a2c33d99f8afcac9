/** Port to the key that signs cursors: a client can't forge a place in a list. */
export interface CursorKey {
  readonly cursorKey: () => Promise<Uint8Array>;
}
