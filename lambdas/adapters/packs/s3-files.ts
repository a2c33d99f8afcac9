import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { type PackFiles, PackFileUnavailable, parseS3Url } from '#engine/model/pack/pack-files.ts';
import { TransientFailure } from '../../domain/step-failure.ts';
import { asTransientFailure } from '../service-failure.ts';
import { remoteFiles, retryTransient } from './remote-files.ts';

/**
 * Reads objects at `s3://bucket/key` by byte ranges, with the function's role. The SDK retries requests, but not
 * truncated bodies. Every range must come from the object version that was looked up.
 * @param firstWaitMs the longest wait before the first retry of a body; later waits may be longer
 */
export function s3Files(client: S3Client, firstWaitMs = 250): PackFiles {
  return remoteFiles({
    lookUp: async (href) => {
      const head = await attempt(href, () => client.send(new HeadObjectCommand(objectAt(href))));
      return { size: head.ContentLength ?? 0, etag: head.ETag };
    },
    read: (href, { etag }, first, last) =>
      attempt(href, async () => {
        const Range = `bytes=${first}-${last}`;
        const request = { ...objectAt(href), Range, IfMatch: etag };
        return retryTransient(firstWaitMs, async () => {
          const { Body } = await client.send(new GetObjectCommand(request));
          return readObjectBody(href, Body);
        });
      }),
  });
}

async function readObjectBody(
  href: string,
  body: GetObjectCommandOutput['Body'],
): Promise<Uint8Array> {
  try {
    return (await body?.transformToByteArray()) ?? new Uint8Array();
  } catch (error) {
    const reason = `the response was truncated: ${nameOf(error)}`;
    throw new PackFileUnavailable(href, reason, { transient: true, cause: error });
  }
}

function objectAt(href: string): { readonly Bucket: string; readonly Key: string } {
  const object = parseS3Url(href);
  if (object === null) throw new PackFileUnavailable(href, 'it is not the URL of an S3 object');
  return { Bucket: object.bucket, Key: object.key };
}

async function attempt<T>(href: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof PackFileUnavailable) throw error;
    const transient =
      asTransientFailure(error) instanceof TransientFailure || nameOf(error) === NO_CREDENTIALS;
    throw new PackFileUnavailable(href, describeFailure(error), { transient, cause: error });
  }
}

/**
 * The failure counts as transient, because a machine without AWS credentials cannot check a pack's objects in S3, but
 * the functions can.
 */
const NO_CREDENTIALS = 'CredentialsProviderError';

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}

/** Decides by status, because the response to a HEAD has no body and newer SDK versions then set no error name. */
function describeFailure(error: unknown): string {
  if (!(error instanceof S3ServiceException)) return `the request to S3 failed: ${nameOf(error)}`;
  switch (error.$metadata.httpStatusCode) {
    case 404:
      return 'there is no such object';
    case 403:
      return 'it does not exist or access is denied';
    case 412:
      return 'it changed while it was read';
    default:
      return `S3 responded with ${nameOf(error)}`;
  }
}
