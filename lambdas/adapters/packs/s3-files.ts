import {
  GetObjectCommand,
  HeadObjectCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { TransientFailure } from '../../domain/transient-failure.ts';
import { s3ObjectOf } from '../../model/pack/hrefs.ts';
import { type PackFiles, PackFileUnavailable } from '../../model/pack/pack-files.ts';
import { namingTransient } from '../service-failure.ts';
import { remoteFiles } from './remote-files.ts';

/**
 * Objects at `s3://bucket/key`, by byte ranges, with the function's own role. The SDK retries by
 * itself; every range must be of the object whose size was asked.
 */
export function s3Files(client: S3Client): PackFiles {
  return remoteFiles({
    lookUp: async (href) => {
      const head = await attempt(href, () => client.send(new HeadObjectCommand(objectAt(href))));
      return { size: head.ContentLength ?? 0, etag: head.ETag };
    },
    read: (href, { etag }, first, last) =>
      attempt(href, async () => {
        const Range = `bytes=${first}-${last}`;
        const command = new GetObjectCommand({ ...objectAt(href), Range, IfMatch: etag });
        const { Body } = await client.send(command);
        return (await Body?.transformToByteArray()) ?? new Uint8Array();
      }),
  });
}

function objectAt(href: string): { readonly Bucket: string; readonly Key: string } {
  const object = s3ObjectOf(href);
  if (object === null) throw new PackFileUnavailable(href, 'is no address of an S3 object');
  return { Bucket: object.bucket, Key: object.key };
}

async function attempt<T>(href: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof PackFileUnavailable) throw error;
    const passing =
      namingTransient(error) instanceof TransientFailure || nameOf(error) === NO_CREDENTIALS;
    throw new PackFileUnavailable(href, reasonOf(error), { passing, cause: error });
  }
}

/** Who deploys from a machine without AWS can't look at the pack's objects; the functions can. */
const NO_CREDENTIALS = 'CredentialsProviderError';

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : String(error);
}

/** By status: a HEAD's answer has no body, and of one without the SDK's newer versions make no name. */
function reasonOf(error: unknown): string {
  switch (error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined) {
    case 404:
      return 'there is no such object';
    case 403:
      return 'it is not there or may not be read';
    case 412:
      return 'it changed while it was read';
    default:
      return `S3 answers ${nameOf(error)}`;
  }
}
