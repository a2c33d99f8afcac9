/** Where blocks' bytes lie. `ref` is the caller's own name for one (a key). */
export interface BlockSource {
  /** Fills `into` with the bytes from the offset on; rejects where there are not as many. */
  read(ref: string, offset: number, into: Uint8Array): Promise<void>;
}

/** Where the finished file goes; nothing is visible there before `putWhole` or `complete` returns. */
export interface CogTarget {
  putWhole(bytes: Uint8Array): Promise<void>;
  begin(): Promise<CogUpload>;
}

/** One multipart upload. Parts count from 1 and may come in any order, several at a time. */
export interface CogUpload {
  /** The bytes are the caller's again when it is done. */
  uploadPart(part: number, bytes: Uint8Array): Promise<void>;
  /** A server-side copy of a block's range. */
  copyPart(part: number, ref: string, offset: number, length: number): Promise<void>;
  complete(): Promise<void>;
  abort(): Promise<void>;
}
