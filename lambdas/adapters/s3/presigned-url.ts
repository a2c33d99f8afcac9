import { Sha256 } from '@aws-sdk/checksums/sha';
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner';
import { formatUrl } from '@aws-sdk/util-format-url';

export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Session token of a role; a user's access key has none. */
  readonly sessionToken?: string;
}

export interface PresignOptions {
  readonly at: Date;
  /** S3 allows at most one week, 604,800 s. */
  readonly expiresInSeconds: number;
  /** Unescaped names and values, such as `response-content-disposition`. */
  readonly query?: Readonly<Record<string, string>>;
  /** @default GetObject */
  readonly operation?: ObjectOperation;
}

export const OBJECT_OPERATIONS = {
  GetObject: 'GET',
  HeadObject: 'HEAD',
  PutObject: 'PUT',
  DeleteObject: 'DELETE',
  AbortMultipartUpload: 'DELETE',
} as const;
export type ObjectOperation = keyof typeof OBJECT_OPERATIONS;

/** @param key must not need escaping; IDs do not */
export type PresignUrl = (key: string, options: PresignOptions) => Promise<string>;

/**
 * Signs URLs for a bucket's objects in the function's Region. `getSignedUrl` returns the same URLs but takes more CPU
 * time, and a batch status signs up to 1,000.
 * @param endpoint an endpoint where S3 serves buckets by path; by default the endpoint configured by the SDK's
 * variables ("Service-specific endpoints", AWS SDKs and Tools Reference Guide), or else AWS's
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
 * Returns the S3 endpoint at which clients find results, or undefined if it is AWS's. Clients and functions may reach
 * the emulator at different addresses.
 */
export function resultsEndpoint(): string | undefined {
  return process.env['RESULTS_ENDPOINT_URL'] || configuredEndpoint();
}

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

/** S3 gives each bucket its own host name; an emulator serves buckets by path. */
function bucketUrl(bucket: string, region: string, endpoint: string | undefined): string {
  if (endpoint) return `${endpoint.replace(/\/+$/, '')}/${bucket}`;
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return `https://${bucket}.s3.${region}.${suffix}`;
}
