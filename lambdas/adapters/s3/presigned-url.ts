import { Sha256 } from '@aws-sdk/checksums/sha';
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { formatUrl } from '@aws-sdk/util-format-url';

export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** The token of a role's session; a user's key has none. */
  readonly sessionToken?: string;
}

export interface PresignOptions {
  readonly at: Date;
  /** S3 allows at most a week: 604,800. */
  readonly expiresInSeconds: number;
  /** Unescaped names and values, such as `response-content-disposition`. */
  readonly query?: Readonly<Record<string, string>>;
  /** @default GetObject */
  readonly operation?: ObjectOperation;
}

/** Operations that a URL can be signed for, with their HTTP methods. */
export const OBJECT_OPERATIONS = {
  GetObject: 'GET',
  HeadObject: 'HEAD',
  PutObject: 'PUT',
  DeleteObject: 'DELETE',
  AbortMultipartUpload: 'DELETE',
} as const;
export type ObjectOperation = keyof typeof OBJECT_OPERATIONS;

/** @param key must need no escaping, as ids do not */
export type PresignUrl = (key: string, options: PresignOptions) => Promise<string>;

/**
 * Signs URLs of a bucket's objects in the function's region. `getSignedUrl` returns the same URLs but
 * takes four times the CPU: a status of 1,000 jobs signs 1,000 URLs.
 *
 * @param endpoint where S3 serves buckets by path; by default the one that the SDK's variables
 * configure ("Service-specific endpoints", AWS SDKs and Tools Reference Guide), or else AWS's
 */
export function urlPresigner(
  bucket: string,
  credentials: SigningCredentials,
  endpoint = configuredEndpoint(),
): PresignUrl {
  const region = functionRegion();
  const presigner = new S3RequestPresigner({ region, credentials, sha256: Sha256 });
  const { protocol, hostname, port, pathname } = new URL(bucketUrl(bucket, region, endpoint));
  const server = { protocol, hostname, ...(port === '' ? {} : { port: Number(port) }) };

  return async (key, { at, expiresInSeconds, query = {}, operation = 'GetObject' }) => {
    const request = {
      ...server,
      method: OBJECT_OPERATIONS[operation],
      path: `${pathname.replace(/\/+$/, '')}/${key}`,
      query: { ...query, 'x-id': operation },
      headers: {},
    };
    const options = { signingDate: at, expiresIn: expiresInSeconds };
    return formatUrl(await presigner.presign(request, options));
  };
}

/**
 * The S3 at which clients find results, unless it is AWS's. Set by the emulator only: there they reach it
 * at a different address from the functions.
 */
export function resultsEndpoint(): string | undefined {
  return process.env['RESULTS_ENDPOINT_URL'] || configuredEndpoint();
}

/** The origin of the results' signed URLs. */
export function resultsOrigin(bucket: string): string {
  return new URL(bucketUrl(bucket, functionRegion(), resultsEndpoint())).origin;
}

function configuredEndpoint(): string | undefined {
  return process.env['AWS_ENDPOINT_URL_S3'] || process.env['AWS_ENDPOINT_URL'];
}

function functionRegion(): string {
  const region = process.env['AWS_REGION'];
  if (region === undefined || region === '') throw new Error('AWS_REGION is not set');
  return region;
}

/** S3 serves a bucket on its own host name; an emulator serves it by path. */
function bucketUrl(bucket: string, region: string, endpoint: string | undefined): string {
  if (endpoint) return `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://${bucket}.s3.${region}.${suffix}`;
}
