/** Reads a pack's files. An `href` is a path inside the pack or a URL, as in the manifest. */
export interface PackFiles {
  /** The whole file. Throws {@link PackFileUnavailable}. */
  read(href: string): Promise<Uint8Array>;
  /** Bytes from `offset`; fewer than `length` only at the end of the file. Throws {@link PackFileUnavailable}. */
  readRange(href: string, offset: number, length: number): Promise<Uint8Array>;
  /** Size in bytes. Throws {@link PackFileUnavailable}. */
  size(href: string): Promise<number>;
}

export interface Unavailability extends ErrorOptions {
  /**
   * Whether a later attempt may succeed: no response, a busy server.
   * @default false
   */
  readonly transient?: boolean;
}

/** A file of the pack can't be read. `reason` is meant for the pack's author. */
export class PackFileUnavailable extends Error {
  override readonly name = 'PackFileUnavailable';
  readonly href: string;
  readonly reason: string;
  readonly transient: boolean;

  constructor(
    href: string,
    reason: string,
    { transient = false, ...options }: Unavailability = {},
  ) {
    super(`${href}: ${reason}`, options);
    this.href = href;
    this.reason = reason;
    this.transient = transient;
  }
}
