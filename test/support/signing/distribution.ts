import { verify } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type CloudFrontClient,
  GetKeyGroupCommand,
  GetPublicKeyCommand,
} from '@aws-sdk/client-cloudfront';
import {
  GetObjectCommand,
  HeadObjectCommand,
  NoSuchKey,
  NotFound,
  type S3Client,
} from '@aws-sdk/client-s3';
import { httpReceiving } from '../delivery/local-receiver.ts';

export interface DistributionOptions {
  readonly cloudFront: CloudFrontClient;
  readonly keyGroupId: string;
  readonly s3: S3Client;
  readonly bucket: string;
}

/** Query parameters that a signature does not cover, because they carry it. */
const OF_SIGNATURE = /[?&](Expires|Signature|Key-Pair-Id|Hash-Algorithm)=([^&]*)/g;

/**
 * Stands in for a distribution: verifies signatures as CloudFront documents it, by the public keys that are in
 * the key group, then reads the bucket with its own permissions.
 * https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/private-content-signed-urls.html
 */
export async function localDistribution(options: DistributionOptions) {
  const receiver = await httpReceiving(async (request, response) => {
    const url = `${receiver.origin}${request.url}`;
    if (await isSigned(url, options)) await serve(url, request, response, options);
    else response.writeHead(403).end();
  });
  return receiver;
}

async function isSigned(
  url: string,
  { cloudFront, keyGroupId: Id }: DistributionOptions,
): Promise<boolean> {
  const given = new Map([...url.matchAll(OF_SIGNATURE)].map(([, name, value]) => [name, value]));
  const expires = Number(given.get('Expires'));
  const keyId = given.get('Key-Pair-Id');
  if (!(expires * 1000 > Date.now()) || given.get('Hash-Algorithm') !== 'SHA256') return false;
  const { KeyGroup } = await cloudFront.send(new GetKeyGroupCommand({ Id }));
  if (keyId === undefined || !KeyGroup?.KeyGroupConfig?.Items?.includes(keyId)) return false;
  const { PublicKey } = await cloudFront.send(new GetPublicKeyCommand({ Id: keyId }));
  const resource = url.replace(OF_SIGNATURE, '');
  const policy = `{"Statement":[{"Resource":"${resource}","Condition":{"DateLessThan":{"AWS:EpochTime":${expires}}}}]}`;
  const signature = (given.get('Signature') ?? '')
    .replaceAll('-', '+')
    .replaceAll('_', '=')
    .replaceAll('~', '/');
  const publicKey = PublicKey?.PublicKeyConfig?.EncodedKey ?? '';
  return verify('sha256', Buffer.from(policy), publicKey, Buffer.from(signature, 'base64'));
}

async function serve(
  url: string,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  { s3, bucket }: DistributionOptions,
): Promise<void> {
  const { pathname, searchParams } = new URL(url);
  const object = {
    Bucket: bucket,
    Key: pathname.slice(1),
    Range: headers.range,
    ResponseContentDisposition: searchParams.get('response-content-disposition') ?? undefined,
  };
  try {
    const Command = method === 'HEAD' ? HeadObjectCommand : GetObjectCommand;
    const found = await s3.send(new Command(object));
    response.setHeader('content-length', String(found.ContentLength));
    response.setHeader('content-disposition', found.ContentDisposition ?? '');
    response.writeHead(headers.range === undefined ? 200 : 206);
    if ('Body' in found) response.write(await found.Body?.transformToByteArray());
    response.end();
  } catch (error) {
    // The distribution may list the bucket, so S3 responds with 404.
    const isMissing = error instanceof NoSuchKey || error instanceof NotFound;
    response.writeHead(isMissing ? 404 : 502).end();
  }
}
