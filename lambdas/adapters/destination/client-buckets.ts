import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  S3ServiceException,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { AssumeRoleCommand, type STSClient, STSServiceException } from '@aws-sdk/client-sts';
import { Upload } from '@aws-sdk/lib-storage';
import {
  accountOf,
  type ClientBuckets,
  type CopiedFile,
  type DestinationAccess,
  type DestinationCheck,
  type DestinationFailure,
  DestinationRefused,
  type DestinationStep,
  formatExternalId,
  placeBelow,
  type ServiceTrust,
} from '../../domain/destination/destination.ts';
import { s3BodyClient } from '../clients.ts';
import { asTransientFailure } from '../service-failure.ts';

/** S3 allows 10,000 parts, so a file may have 156 GiB. */
const PART_BYTES = 16 * 1024 * 1024;

/** The shortest session that STS allows; the function's timeout is shorter than this. */
const SESSION_SECONDS = 900;

export function stsClientBuckets(
  sts: STSClient,
  trust: ServiceTrust,
  connect: typeof s3BodyClient = s3BodyClient,
): ClientBuckets & DestinationCheck {
  const connectTo = async (access: DestinationAccess) => {
    // The operator may have withdrawn the permission since the batch was created.
    if (trust.accounts?.includes(accountOf(access)) === false) {
      throw new DestinationRefused({ step: 'account', code: '' });
    }
    const credentials = await assumeRole(sts, access, formatExternalId(trust, access.tenant));
    // The SDK derives the endpoint from the bucket's Region, so a client cannot name a host.
    return connect({ credentials, followRegionRedirects: true });
  };
  return {
    async open(access) {
      const client = await connectTo(access);
      return { write: (file) => uploadFile(client, access, file) };
    },
    async checkDestination(access) {
      try {
        const client = await connectTo(access);
        await requireExternalId(sts, access, trust);
        await tryWriting(client, access);
        return null;
      } catch (error) {
        if (error instanceof DestinationRefused) return error.failure;
        throw error;
      }
    },
  };
}

/**
 * Limits the session, even if the role may do more, to writing below the prefix and using KMS keys through S3.
 * A prefix has no character with a special meaning in policies.
 */
function sessionPolicy({ role_arn, bucket, prefix }: DestinationAccess): string {
  const [, partition] = role_arn.split(':');
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Action: ['s3:PutObject', 's3:AbortMultipartUpload'],
        Resource: `arn:${partition}:s3:::${bucket}/${placeBelow(prefix, '*')}`,
      },
      {
        Effect: 'Allow',
        Action: ['kms:GenerateDataKey', 'kms:Decrypt'],
        Resource: '*',
        Condition: { StringLike: { 'kms:ViaService': 's3.*.amazonaws.com*' } },
      },
    ],
  });
}

async function assumeRole(sts: STSClient, access: DestinationAccess, externalId?: string) {
  const { Credentials } = await sts
    .send(
      new AssumeRoleCommand({
        RoleArn: access.role_arn,
        RoleSessionName: 'soil-batch',
        ExternalId: externalId,
        Policy: sessionPolicy(access),
        DurationSeconds: SESSION_SECONDS,
      }),
    )
    .catch(refuseAt('role'));
  const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials ?? {};
  if (!AccessKeyId || !SecretAccessKey || !SessionToken)
    throw new Error('STS returned no credentials');
  return {
    accessKeyId: AccessKeyId,
    secretAccessKey: SecretAccessKey,
    sessionToken: SessionToken,
  };
}

/** @throws DestinationRefused if the role trusts every tenant: it requires no external ID, or accepts any */
async function requireExternalId(
  sts: STSClient,
  access: DestinationAccess,
  trust: ServiceTrust,
): Promise<void> {
  for (const externalId of [undefined, formatExternalId(trust, randomUUID())]) {
    try {
      await assumeRole(sts, access, externalId);
    } catch (error) {
      if (error instanceof DestinationRefused) continue;
      throw error;
    }
    throw new DestinationRefused({ step: 'role-open', code: '' });
  }
}

function locate(access: DestinationAccess, Key: string) {
  // Somebody else may later own a bucket with this name.
  return { Bucket: access.bucket, Key, ExpectedBucketOwner: accountOf(access) };
}

/** S3 verifies the CRC-32 of each part, and that the total size of the parts is the size of the file. */
async function uploadFile(
  client: S3Client,
  access: DestinationAccess,
  { key, mediaType, size, read }: CopiedFile,
): Promise<void> {
  const parts = async function* () {
    for (let offset = 0; offset < size; offset += PART_BYTES) {
      yield await read(offset, Math.min(PART_BYTES, size - offset));
    }
  };
  const upload = new Upload({
    client,
    params: {
      ...locate(access, key),
      Body: Readable.from(parts()),
      ContentType: mediaType,
      ContentLength: size,
      MpuObjectSize: size,
      ChecksumAlgorithm: 'CRC32',
    },
    partSize: PART_BYTES,
    queueSize: 1,
  });
  await upload.done().catch(refuseAt('write'));
}

/** Uploads one part and aborts the upload, so that the check needs no permission to delete. */
async function tryWriting(client: S3Client, access: DestinationAccess): Promise<void> {
  const target = locate(access, placeBelow(access.prefix, '.soil-batch-check'));
  const refuse = refuseAt('write');
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target)).catch(refuse);
  const upload = { ...target, UploadId };
  const abort = () => client.send(new AbortMultipartUploadCommand(upload));
  try {
    await client.send(new UploadPartCommand({ ...upload, PartNumber: 1, Body: 'check' }));
  } catch (error) {
    await abort().catch(() => undefined);
    refuse(error);
  }
  await abort().catch(refuseAt('abort'));
}

/**
 * Throws a refusal by AWS as DestinationRefused, a transient error as TransientFailure, and any other error unchanged.
 */
function refuseAt(step: DestinationStep): (error: unknown) => never {
  return (error) => {
    const named = asTransientFailure(error);
    if (named instanceof S3ServiceException || named instanceof STSServiceException) {
      throw new DestinationRefused(classifyRefusal(named, step), { cause: error });
    }
    throw named;
  };
}

const REGION_ERRORS =
  /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|InvalidToken)$/;

function classifyRefusal({ name, message }: Error, step: DestinationStep): DestinationFailure {
  // The code is the error's name, which AWS chooses. The message is not returned, because it may contain names of roles
  // and buckets.
  const code = /^\w{1,60}$/.test(name) ? name : '';
  if (step === 'role') return { step, code };
  if (name === 'NoSuchBucket') return { step: 'bucket', code };
  if (REGION_ERRORS.test(name)) return { step: 'region', code };
  if (name.startsWith('KMS') || /\bkms:/.test(message)) return { step: 'key', code };
  return { step, code };
}
