import * as z from 'zod/mini';
import type { Timestamp } from '../clock.ts';
import type { BatchId, JobId } from '../identity.ts';
import type { Transition } from '../transition.ts';
import type { ViewOf } from '../wire.ts';

/** A client's bucket to which a batch's results are copied, and the role that may write to it. */
export const storedDestination = z.object({
  bucket: z.string(),
  /** Without a slash at its end; empty for the top of the bucket. */
  prefix: z.string(),
  role_arn: z.string(),
  /** The base URL of the API through which the batch was created, for links in tables and Items. */
  base_url: z.string(),
});

export type Destination = ViewOf<typeof storedDestination>;

export type RequestedDestination = Omit<Destination, 'base_url'>;

export function accountOf({ role_arn }: Pick<Destination, 'role_arn'>): string {
  return role_arn.split(':')[4] ?? '';
}

/** `prefix` may be empty. */
export function placeBelow(prefix: string, key: string): string {
  return prefix === '' ? key : `${prefix}/${key}`;
}

/** The batch ID separates batches with the same prefix. */
export function destinationKeys({ prefix }: Pick<Destination, 'prefix'>, batchId: BatchId) {
  const folder = placeBelow(prefix, batchId);
  return {
    folder,
    raster: (jobId: JobId) => `${folder}/${jobId}.tif`,
    item: (jobId: JobId) => `${folder}/${jobId}.json`,
    csv: `${folder}/results.csv`,
    geojson: `${folder}/results.geojson`,
  };
}

export function formatUri({ bucket }: Pick<Destination, 'bucket'>, key: string): string {
  return `s3://${bucket}/${key}`;
}

export const DESTINATION_STEPS = [
  'account',
  'role-open',
  'role',
  'bucket',
  'region',
  'write',
  'abort',
  'key',
  'unavailable',
  'interrupted',
] as const;
export type DestinationStep = (typeof DESTINATION_STEPS)[number];

export const destinationFailure = z.object({
  step: z.enum(DESTINATION_STEPS),
  /** The error code of AWS; empty if there is none. */
  code: z.string(),
});

export type DestinationFailure = ViewOf<typeof destinationFailure>;

/** Thrown when the client's bucket or role refuses access, or when the bucket has not responded for too long. */
export class DestinationRefused extends Error {
  override readonly name = 'DestinationRefused';
  readonly failure: DestinationFailure;

  constructor(failure: DestinationFailure, options?: ErrorOptions) {
    super(`${failure.step}: ${failure.code}`, options);
    this.failure = failure;
  }
}

export interface CopyState {
  readonly copied: ReadonlySet<number>;
  /** Whether everything is copied, including the tables, which come last. */
  readonly complete: boolean;
  /** The first failure since the last request; after it, nothing more is tried. */
  readonly failure: DestinationFailure | null;
  readonly requests: number;
  readonly requestedAt: Timestamp | null;
}

/**
 * Port to the record of a batch's copies. It is a separate item, because a final job never changes. Reads are strongly
 * consistent.
 */
export interface CopyStore {
  readCopies(batchId: BatchId): Promise<CopyState>;
  recordCopy(batchId: BatchId, index: number): Promise<Transition>;
  /** Records that the tables, and so all files, are copied. */
  recordCompletion(batchId: BatchId): Promise<Transition>;
  /**
   * Keeps the first failure.
   * @param requests the number of requests before the copy, so that an earlier run's failure does not stop a later run
   */
  recordFailure(
    batchId: BatchId,
    failure: DestinationFailure,
    requests: number,
  ): Promise<Transition>;
  /** Removes the failure and counts the request, unless a concurrent request was counted first. */
  requestCopies(batchId: BatchId, requests: number, at: Timestamp): Promise<Transition>;
}

/** The service as the trust policies of clients' roles name it, and the roles that it may assume. */
export interface ServiceTrust {
  /** `arn:<partition>:iam::<account>:root` */
  readonly principal: string;
  /** Precedes the tenant in an external id, and differs between the deployments of an account. */
  readonly externalIdScope: string;
  /** The accounts whose roles the operator allows; null for all accounts. */
  readonly accounts: readonly string[] | null;
}

/**
 * Returns the external id with which the service assumes the roles of a tenant. The id protects the roles because only
 * the service chooses it, so it need not be secret:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_common-scenarios_third-party.html
 */
export function formatExternalId({ externalIdScope }: ServiceTrust, tenant: string): string {
  return `${externalIdScope}/${tenant}`;
}

export interface DestinationAccess extends RequestedDestination {
  readonly tenant: string;
}

export interface CopiedFile {
  readonly key: string;
  readonly mediaType: string;
  readonly size: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** Port to a bucket of a client, with the rights of its role. */
export interface ClientBucket {
  /**
   * Writes a file through bounded memory; S3 verifies its size and checksums. A repeated write replaces the file.
   * @throws DestinationRefused, or TransientFailure if a later attempt may succeed
   */
  write(file: CopiedFile): Promise<void>;
}

export interface ClientBuckets {
  /** @throws DestinationRefused, or TransientFailure if a later attempt may succeed */
  open(access: DestinationAccess): Promise<ClientBucket>;
}

export interface DestinationCheck {
  /**
   * Checks that the role can be assumed, but only with the tenant's external id, and can write to the bucket.
   * @returns null if the check succeeds
   * @throws TransientFailure if a later attempt may succeed
   */
  checkDestination(access: DestinationAccess): Promise<DestinationFailure | null>;
}
