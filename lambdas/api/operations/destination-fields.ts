import * as z from 'zod/mini';
import type { Violation } from '../../domain/batch/requested-batch.ts';
import {
  accountOf,
  type RequestedDestination,
  type ServiceTrust,
} from '../../domain/destination/destination.ts';
import { LIMITS } from '../../domain/limits.ts';
import { objectError, optionalField } from '../http/fields.ts';
import { named } from '../specification/published.ts';

const BUCKET_RULE =
  'must be the name of a general purpose bucket, not an ARN or alias: 3 to 63 lower-case letters, digits, hyphens and dots';

/**
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html. For names with reserved endings, the SDK
 * addresses an access point or a directory bucket, or fails with an error that says nothing about permissions.
 */
const BUCKET =
  /^(?!.*(\.\.|\.-|-\.|-s3alias$|--[a-z]+-s3$|\.mrap$))(?!\d+(\.\d+){3}$)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

const PREFIX_RULE = `must have at most ${LIMITS.prefixCharacters} characters: letters, digits and -_.=! in parts separated by single slashes. No part may be "." or "..", and no slash may be at the start`;

/**
 * Allows only characters without a special meaning in S3, policies and URLs. A slash may be at the end, because many
 * clients add one.
 */
const PREFIX = /^(?!(.*\/)?\.{1,2}(\/|$))[A-Za-z0-9_.=!-]+(\/[A-Za-z0-9_.=!-]+)*\/?$/;

const ROLE_RULE =
  'must be the ARN of an IAM role, such as "arn:aws:iam::111122223333:role/soil-batch"';

/** https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html: a path has up to 512 characters. */
const ROLE =
  /^arn:aws[a-z-]{0,20}:iam::\d{12}:role\/(?=.{1,576}$)([\w+=,.@-]+\/)*[\w+=,.@-]{1,64}$/;

export const destination = named(
  'Destination',
  z.strictObject(
    {
      bucket: z
        .string({ error: BUCKET_RULE })
        .check(
          z.regex(BUCKET, { error: BUCKET_RULE }),
          z.describe('A general purpose bucket in the role’s account, in any Region'),
        ),
      prefix: optionalField(
        z
          .string({ error: PREFIX_RULE })
          .check(
            z.maxLength(LIMITS.prefixCharacters, { error: PREFIX_RULE }),
            z.regex(PREFIX, { error: PREFIX_RULE }),
          ),
        'Precedes `/<batch_id>/` in every key',
      ),
      role_arn: z
        .string({ error: ROLE_RULE })
        .check(
          z.regex(ROLE, { error: ROLE_RULE }),
          z.describe('A role of yours that trusts this service with your external ID'),
        ),
    },
    { error: objectError('must be an object with bucket and role_arn') },
  ),
);

export function toRequestedDestination(
  sent: z.infer<typeof destination> | null | undefined,
): RequestedDestination | null {
  if (!sent) return null;
  const { bucket, prefix, role_arn } = sent;
  return { bucket, prefix: (prefix ?? '').replace(/\/$/, ''), role_arn };
}

/**
 * Refuses roles of other partitions, of accounts that the operator does not allow, and of the service's own account:
 * the service must not assume its own roles for a tenant.
 */
export function roleViolations(
  { role_arn }: RequestedDestination,
  { principal, accounts }: ServiceTrust,
): readonly Violation[] {
  if (accounts?.length === 0) {
    return [
      { pointer: '/destination', message: 'must be omitted: this service copies no results' },
    ];
  }
  const pointer = '/destination/role_arn';
  const [, partition = ''] = principal.split(':');
  if (!role_arn.startsWith(`arn:${partition}:`)) {
    return [{ pointer, message: `must be in the partition "${partition}"` }];
  }
  if (accountOf({ role_arn }) === accountOf({ role_arn: principal })) {
    return [{ pointer, message: 'must be a role of your own account, not of this service’s' }];
  }
  if (accounts === null || accounts.includes(accountOf({ role_arn }))) return [];
  return [{ pointer, message: `must be in an allowed AWS account: ${accounts.join(', ')}` }];
}
