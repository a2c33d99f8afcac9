export const MANIFEST_FILE = 'manifest.json';

/** Shows whether a file at a URL, which has no digest, is still the same. */
export interface FileVersion {
  readonly size: number;
  /** Absent if the server does not send it. */
  readonly etag?: string | undefined;
}

/** Reads a pack's files. An `href` is a path inside the pack or a URL, as in the manifest. */
export interface PackFiles {
  /** The whole file. Throws {@link PackFileUnavailable}. */
  readFile(href: string): Promise<Uint8Array>;
  /** Bytes from `offset`; fewer than `length` only at the end of the file. Throws {@link PackFileUnavailable}. */
  readRange(href: string, offset: number, length: number): Promise<Uint8Array>;
  /** Size in bytes. Throws {@link PackFileUnavailable}. */
  readSize(href: string): Promise<number>;
  /** The version that reads return. Absent where files never change. Throws {@link PackFileUnavailable}. */
  readVersion?(href: string): Promise<FileVersion>;
  /** Makes later reads return the current files instead of the versions that the first read found. */
  forget?(): void;
}

export interface Unavailability extends ErrorOptions {
  /**
   * Whether a later attempt may succeed, e.g. if there was no response or the server was busy.
   * @default false
   */
  readonly transient?: boolean;
}

/** A file of the pack cannot be read. `reason` is meant for the pack's author. */
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

export interface RemoteSources {
  readonly https: PackFiles;
  readonly s3: PackFiles;
  /** For `http://` URLs, which a deployment's manifests may not have. */
  readonly ownMachine?: PackFiles;
}

export function withRemoteSources(folder: PackFiles, remote: RemoteSources): PackFiles {
  const chooseSource = (href: string): PackFiles => {
    if (!isUrl(href)) return folder;
    if (href.startsWith('https://')) return remote.https;
    if (href.startsWith('s3://')) return remote.s3;
    if (remote.ownMachine !== undefined && href.startsWith('http://')) return remote.ownMachine;
    throw new PackFileUnavailable(href, 'unsupported URL scheme: use https:// or s3://');
  };
  return {
    readFile: async (href) => chooseSource(href).readFile(href),
    readRange: async (href, offset, length) => chooseSource(href).readRange(href, offset, length),
    readSize: async (href) => chooseSource(href).readSize(href),
    readVersion: async (href) => {
      const source = chooseSource(href);
      return source.readVersion?.(href) ?? { size: await source.readSize(href) };
    },
    forget: () => {
      for (const source of [remote.https, remote.s3, remote.ownMachine]) source?.forget?.();
    },
  };
}

export function isUrl(href: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(href);
}

export interface S3Object {
  readonly bucket: string;
  readonly key: string;
}

/** Bucket names follow S3's rule; keys exclude characters with a meaning in IAM policies. */
const S3_URL = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])\/(?<key>[^\s*?$#]+)$/;

/** Returns null for an href that is not `s3://bucket/key`. */
export function parseS3Url(href: string): S3Object | null {
  const { bucket, key } = S3_URL.exec(href)?.groups ?? {};
  return bucket === undefined || key === undefined ? null : { bucket, key };
}
