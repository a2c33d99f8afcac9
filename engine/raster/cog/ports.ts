/** `ref` is the caller's name for a block. */
export interface BlockSource {
  /** Fills `into` with the bytes at the offset; rejects if there are too few. */
  readInto(ref: string, offset: number, into: Uint8Array): Promise<void>;
}

/**
 * Stores the finished file. Nothing is visible before `putWhole` or `complete` resolves; both return its
 * entity tag (RFC 9110, section 8.8.3).
 */
export interface CogTarget {
  putWhole(bytes: Uint8Array): Promise<string>;
  begin(): Promise<CogUpload>;
}

/** Parts are numbered from 1 and may be sent in any order and in parallel. */
export interface CogUpload {
  /** The caller may reuse the bytes after the promise resolves. */
  uploadPart(part: number, bytes: Uint8Array): Promise<void>;
  /** A server-side copy of a block's range. */
  copyPart(part: number, ref: string, offset: number, length: number): Promise<void>;
  complete(): Promise<string>;
  abort(): Promise<void>;
}
