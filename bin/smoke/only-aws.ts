import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { RotateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { keyVersions } from '../../lambdas/adapters/signing-key/key-vault.ts';
import { type Timestamp, timestamp } from '../../lambdas/domain/clock.ts';
import { neededUntil } from '../../lambdas/domain/signing/rotate-key.ts';
import type { KeyVersion } from '../../lambdas/domain/signing/signing-key.ts';
import type { ApiClient } from './api-client.ts';
import { type BatchRequest, manyVertices, smallJob } from './batch-request.ts';
import { create, finished, type Job } from './batches.ts';
import { require, Skipped, waitFor } from './check.ts';
import { urlOf } from './signed-url.ts';
import type { DeployedStage } from './stage.ts';

/** Skips a check that would prove nothing on the emulator. */
export function onlyOnAws({ name }: DeployedStage, why: string): void {
  if (name === 'local') throw new Skipped(`the emulator cannot show it: ${why}`);
}

/**
 * The ETag of a multipart upload ends with the number of its parts. To create and complete an upload
 * under a KMS key needs permissions that no error names.
 */
export async function multipartUploadUnderKms(job: Job): Promise<string> {
  const response = await fetch(urlOf(job), { headers: { range: 'bytes=0-0' } });
  await response.body?.cancel();
  const encryption = response.headers.get('x-amz-server-side-encryption');
  const parts = /-(\d+)"?$/.exec(response.headers.get('etag') ?? '')?.[1];
  require(encryption === 'aws:kms', `the result is encrypted by ${encryption}, not aws:kms`);
  require(parts !==
    undefined, `the result is no multipart upload: ${response.headers.get('etag')}`);
  return `${parts} part(s) under aws:kms; blocks of 5 MiB and more are copied, of less are uploaded`;
}

/** S3 allows one authentication mechanism: why a client must not send its key to a result's URL. */
export async function keyIsRejected(job: Job): Promise<string> {
  const headers = { authorization: 'Bearer key-of-the-smoke-test', range: 'bytes=0-0' };
  const { status, body } = await fetch(urlOf(job), { headers });
  await body?.cancel();
  require(status === 400, `with Authorization a signed URL returns ${status}, not 400`);
  return '400 for a signed URL with Authorization';
}

/** A rotation takes about a minute: S3 must accept the new key several times before it becomes current. */
const ROTATION_SECONDS = 600;

/** Rotates the signing key; a URL signed before stays valid. */
export async function signingKeyRotates(
  { connection, signingSecretArn: SecretId }: DeployedStage,
  job: Job,
): Promise<string> {
  const secrets = new SecretsManagerClient(connection);
  const current = async () =>
    (await keyVersions(secrets, SecretId)).find(({ stages }) => stages.has('current'))?.id;
  const before = await current();
  await secrets.send(new RotateSecretCommand({ SecretId }));
  await waitFor('the new key is current', ROTATION_SECONDS, current, (now) => now !== before);
  const response = await fetch(urlOf(job), { headers: { range: 'bytes=0-0' } });
  await response.body?.cancel();
  require(response.status === 206, `a URL signed before returns ${response.status}, not 206`);
  return 'the new key is current; a URL signed before is still valid';
}

/** Skips a rotation while the key that the last one replaced is needed: it would fail after ten minutes. */
export async function oneSigningKey({
  connection,
  signingSecretArn,
}: DeployedStage): Promise<void> {
  const secrets = new SecretsManagerClient(connection);
  refuseTwoKeys(await keyVersions(secrets, signingSecretArn), timestamp(new Date()));
}

/** @throws Skipped with the time when a rotation is possible again */
export function refuseTwoKeys(versions: readonly KeyVersion[], now: Timestamp): void {
  const until = versions.map(neededUntil).find((time) => time !== null && time > now);
  if (until === undefined) return;
  throw new Skipped(
    `the key of before the last rotation is needed until ${until}, and IAM allows two keys`,
  );
}

/** Metrics of EventBridge arrive within minutes. */
const METRIC_SECONDS = 420;

/**
 * When an execution is stopped, an event invokes the reconciler. The child executions of its distributed
 * map end as `ABORTED` too. Their events have the map run's ARN, which the rule must not match.
 */
export async function noEventsOfChildren(
  { connection, resources }: DeployedStage,
  api: ApiClient,
  request: BatchRequest,
): Promise<string> {
  const rule = resources.find(
    ({ type, logicalId }) => type === 'AWS::Events::Rule' && /ExecutionEndedBadly/.test(logicalId),
  );
  require(rule !== undefined, 'the stack has no rule ExecutionEndedBadly');
  const StartTime = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  const jobs = Array.from({ length: 12 }, () => smallJob(request));
  const path = { batch_id: (await create(api, { jobs })).batch_id };
  await api.call('cancelBatch', { path });
  await finished(api, path.batch_id);
  const cloudWatch = new CloudWatchClient(connection);
  const matched = async () => {
    const { Datapoints = [] } = await cloudWatch.send(
      new GetMetricStatisticsCommand({
        Namespace: 'AWS/Events',
        MetricName: 'TriggeredRules',
        Dimensions: [{ Name: 'RuleName', Value: rule.physicalId.split('/').at(-1) ?? '' }],
        StartTime,
        EndTime: new Date(Date.now() + 60_000),
        Period: 60,
        Statistics: ['Sum'],
      }),
    );
    return Datapoints.reduce((sum, { Sum = 0 }) => sum + Sum, 0);
  };
  const events = await waitFor('the rule counts', METRIC_SECONDS, matched, (count) => count > 0);
  require(events <
    jobs.length, `${events} events for one execution: the rule matches child executions too`);
  return `${events} event(s) for an execution of ${jobs.length} jobs`;
}

/** API Gateway accepts a body of this size, and jobs read their polygons from S3. */
export async function largeBatch(api: ApiClient, request: BatchRequest): Promise<string> {
  const body = manyVertices(request, 4);
  const bytes = JSON.stringify(body).length;
  const { batch_id } = await create(api, body);
  const batch = await finished(api, batch_id);
  require(batch.status === 'completed', `batch ${batch_id} is ${batch.status}`);
  return `${(bytes / 1e6).toFixed(2)} MB accepted, ${batch_id} ${batch.status}`;
}

/** Node's fetch requests gzip and decompresses it; the response keeps the header. */
export async function gzipOfLongResponses(api: ApiClient): Promise<string> {
  const long = await api.call('getOpenApi');
  const short = await api.call('getHealth');
  const codingOf = ({ headers }: typeof long) => headers.get('content-encoding') ?? 'no coding';
  require(codingOf(long) ===
    'gzip', `a response of ${long.text.length} characters has ${codingOf(long)}, not gzip`);
  require(codingOf(short) ===
    'no coding', `a response of ${short.text.length} characters has ${codingOf(short)}`);
  return `${(long.text.length / 1e3).toFixed(0)} kB compressed, ${short.text.length} bytes not compressed`;
}
