import { createHash, createHmac } from 'node:crypto';

export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of a role's session; a user's own key has none. */
  readonly sessionToken?: string | undefined;
}

export interface ObjectAddress {
  /** Protocol, host and, where the bucket is no part of the host, the bucket: no slash at the end. */
  readonly bucketUrl: string;
  readonly region: string;
}

export interface PresignOptions {
  readonly at: Date;
  /** S3 takes at most a week: 604,800. */
  readonly expiresInSeconds: number;
  /** Names and values as they are, such as `response-content-disposition`. */
  readonly query?: Readonly<Record<string, string>>;
  /** @default GetObject */
  readonly operation?: ObjectOperation;
}

/** What can be asked by a signed URL, and the method it is asked by. */
export const OBJECT_OPERATIONS = {
  GetObject: 'GET',
  PutObject: 'PUT',
  DeleteObject: 'DELETE',
  AbortMultipartUpload: 'DELETE',
} as const;
export type ObjectOperation = keyof typeof OBJECT_OPERATIONS;

/**
 * Where S3 serves a bucket, by the variables that the SDK reads too: Lambda sets the region, an
 * emulator the endpoint, under which it serves buckets by path.
 */
export function bucketAddress(bucket: string): ObjectAddress {
  const { AWS_REGION: region, AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL } = process.env;
  if (region === undefined || region === '') throw new Error('AWS_REGION is not set');
  const endpoint = AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL;
  if (endpoint) return { bucketUrl: `${endpoint.replace(/\/+$/, '')}/${bucket}`, region };
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  return { bucketUrl: `https://${bucket}.s3.${region}.${suffix}`, region };
}

/**
 * Signs URLs of objects: "Authenticating Requests: Using Query Parameters (AWS Signature Version
 * 4)", Amazon S3 API Reference. To the byte what the SDK's presigner makes, at a small part of its
 * time and code: a status of 1,000 jobs signs 1,000 URLs.
 */
export function objectSigner(address: ObjectAddress, credentials: SigningCredentials) {
  const { host, pathname } = new URL(address.bucketUrl);
  const prefix = pathname === '/' ? '' : pathname;
  const keyOf = dayKeys(address.region, credentials.secretAccessKey);

  return (key: string, options: PresignOptions): string => {
    const { at, expiresInSeconds, query = {}, operation = 'GetObject' } = options;
    const time = at.toISOString().replace(/[-:]|\.\d{3}/g, '');
    const day = time.slice(0, 8);
    const scope = `${day}/${address.region}/s3/aws4_request`;
    const path = `${prefix}/${key.split('/').map(escaped).join('/')}`;
    const parameters = sorted({
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
      'X-Amz-Credential': `${credentials.accessKeyId}/${scope}`,
      'X-Amz-Date': time,
      'X-Amz-Expires': String(expiresInSeconds),
      ...(credentials.sessionToken === undefined
        ? {}
        : { 'X-Amz-Security-Token': credentials.sessionToken }),
      'X-Amz-SignedHeaders': 'host',
      ...query,
      'x-id': operation,
    });
    const method = OBJECT_OPERATIONS[operation];
    const request = [method, path, joined(parameters), `host:${host}`, '', 'host', UNSIGNED];
    const digest = createHash('sha256').update(request.join('\n')).digest('hex');
    const signature = createHmac('sha256', keyOf(day))
      .update(['AWS4-HMAC-SHA256', time, scope, digest].join('\n'))
      .digest('hex');
    const all = sorted([...parameters, ['X-Amz-Signature', signature]]);
    return `${new URL(address.bucketUrl).origin}${path}?${joined(all)}`;
  };
}

const UNSIGNED = 'UNSIGNED-PAYLOAD';

/** The key of a day is derived once: four of the five HMACs of a signature. */
function dayKeys(region: string, secret: string): (day: string) => Buffer {
  let known: { readonly day: string; readonly key: Buffer } | undefined;
  return (day) => {
    if (known?.day === day) return known.key;
    const key = [day, region, 's3', 'aws4_request'].reduce<Buffer>(
      (previous, part) => createHmac('sha256', previous).update(part).digest(),
      Buffer.from(`AWS4${secret}`),
    );
    known = { day, key };
    return key;
  };
}

type Parameter = readonly [string, string];

function sorted(parameters: Readonly<Record<string, string>> | readonly Parameter[]): Parameter[] {
  const entries: readonly Parameter[] = Array.isArray(parameters)
    ? parameters
    : Object.entries(parameters);
  return [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
}

function joined(parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${escaped(name)}=${escaped(value)}`).join('&');
}

/** RFC 3986 leaves fewer characters bare than `encodeURIComponent` does. */
function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
