/** Where a pack's bytes come from. An `href` is one of the manifest's: a path inside the pack or an address. */
export interface PackFiles {
  /** The whole file. Throws {@link PackFileUnavailable}. */
  read(href: string): Promise<Uint8Array>;
  /** Bytes from `offset`, fewer than `length` only where the file ends. Throws {@link PackFileUnavailable}. */
  readRange(href: string, offset: number, length: number): Promise<Uint8Array>;
  /** Size in bytes. Throws {@link PackFileUnavailable}. */
  size(href: string): Promise<number>;
}

export interface Unavailability extends ErrorOptions {
  /**
   * Whether it may be there in a moment: no answer, a busy server.
   * @default false
   */
  readonly passing?: boolean;
}

/** A file of the pack that can't be read, and why in words for its author. */
export class PackFileUnavailable extends Error {
  override readonly name = 'PackFileUnavailable';
  readonly href: string;
  readonly reason: string;
  readonly passing: boolean;

  constructor(href: string, reason: string, { passing = false, ...options }: Unavailability = {}) {
    super(`${href}: ${reason}`, options);
    this.href = href;
    this.reason = reason;
    this.passing = passing;
  }
}
