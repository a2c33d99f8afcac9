import type { DestinationFailure, DestinationStep } from './destination.ts';

export const FAULTY_FIELDS = {
  account: 'role_arn',
  'role-open': 'role_arn',
  role: 'role_arn',
  bucket: 'bucket',
  region: 'bucket',
  write: 'role_arn',
  abort: 'role_arn',
  key: 'role_arn',
  unavailable: 'bucket',
  interrupted: 'bucket',
} as const satisfies Record<DestinationStep, 'role_arn' | 'bucket'>;

const SENTENCES: Readonly<Record<DestinationStep, string>> = {
  account: 'is in an AWS account to which this service may not copy results',
  'role-open':
    'trusts every client of this service: add the `sts:ExternalId` condition of the trust policy in `GET /v1/limits`',
  role: 'cannot be assumed: it does not exist, or its trust policy lacks this service’s account or your external ID (`GET /v1/limits`); STS does not say which',
  bucket: 'does not exist',
  region: 'cannot be reached in its Region',
  write:
    'may not write to the bucket: it needs `s3:PutObject` on the prefix, and the bucket must be in its account',
  abort: 'may not abort uploads: it needs `s3:AbortMultipartUpload` on the prefix',
  key: 'may not use the bucket’s KMS key: it needs `kms:GenerateDataKey` and `kms:Decrypt`',
  unavailable: 'could not be written to for two minutes',
  interrupted: 'lacks results, because copying was interrupted',
};

/** Returns a clause without its subject, because a violation names the field. */
export function describeFailure({ step, code }: DestinationFailure): string {
  return code === '' ? SENTENCES[step] : `${SENTENCES[step]} (${code})`;
}

/** Kept short, because all 1,000 jobs of a status may repeat it. */
export function explainFailure(failure: DestinationFailure): string {
  const subject = FAULTY_FIELDS[failure.step] === 'bucket' ? 'The bucket' : 'The role';
  return `${subject} ${describeFailure(failure)}.`;
}
