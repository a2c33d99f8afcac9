import { CloudWatchClient, GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import {
  DescribeSecretCommand,
  RotateSecretCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { ApiClient } from './api-client.ts';
import { create, finished, type Job } from './batches.ts';
import { require, Skipped, waitFor } from './check.ts';
import { manyVertices, type Order, smallJob } from './order.ts';
import { urlOf } from './signed-url.ts';
import type { DeployedStage } from './stage.ts';

/** The emulator would pass the check whatever the service did. */
export function onlyOnAws({ name }: DeployedStage, why: string): void {
  if (name === 'local') throw new Skipped(`not shown by the emulator: ${why}`);
}

/**
 * S3 tells of a result how it was put there: the ETag of a multipart upload ends with the number of its
 * parts. Beginning and completing one under a KMS key needs grants that nothing names.
 */
export async function multipartUnderKms(job: Job): Promise<string> {
  const response = await fetch(urlOf(job), { headers: { range: 'bytes=0-0' } });
  await response.body?.cancel();
  const encryption = response.headers.get('x-amz-server-side-encryption');
  const parts = /-(\d+)"?$/.exec(response.headers.get('etag') ?? '')?.[1];
  require(encryption === 'aws:kms', `the result is encrypted by ${encryption}, not aws:kms`);
  require(parts !==
    undefined, `the result is no multipart upload: ${response.headers.get('etag')}`);
  return `${parts} part(s) under aws:kms; blocks of 5 MiB and more are copied, of less are uploaded`;
}

/** One rotation takes a minute: the new key must be accepted again and again before it counts. */
const ROTATION_SECONDS = 600;

/** Rotates the signing key; a URL signed before goes on. */
export async function keyRotates(
  { connection, signingSecretArn: SecretId }: DeployedStage,
  job: Job,
): Promise<string> {
  const secrets = new SecretsManagerClient(connection);
  const current = async () => {
    const { VersionIdsToStages = {} } = await secrets.send(new DescribeSecretCommand({ SecretId }));
    return Object.entries(VersionIdsToStages).find(([, at]) => at.includes('AWSCURRENT'))?.[0];
  };
  const before = await current();
  await secrets.send(new RotateSecretCommand({ SecretId }));
  await waitFor('the new key is current', ROTATION_SECONDS, current, (now) => now !== before);
  const response = await fetch(urlOf(job), { headers: { range: 'bytes=0-0' } });
  await response.body?.cancel();
  require(response.status === 206, `a URL signed before is answered with ${response.status}`);
  return 'the new key is current; a URL signed before still opens';
}

/** EventBridge's figures come within minutes. */
const METRIC_SECONDS = 420;

/**
 * A batch whose execution is stopped wakes the reconciler by an event. The children of its distributed
 * map end as `ABORTED` too: their events name the map run's own ARN, which the rule must not match.
 */
export async function childrenStaySilent(
  { connection, resources }: DeployedStage,
  api: ApiClient,
  order: Order,
): Promise<string> {
  const rule = resources.find(
    ({ type, logicalId }) => type === 'AWS::Events::Rule' && /ExecutionEndedBadly/.test(logicalId),
  );
  require(rule !== undefined, 'the stack has no rule ExecutionEndedBadly');
  const StartTime = new Date(Math.floor(Date.now() / 60_000) * 60_000);
  const jobs = Array.from({ length: 12 }, () => smallJob(order));
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
  require(events < jobs.length, `${events} events for one execution: its children's match too`);
  return `${events} event(s) for an execution of ${jobs.length} jobs`;
}

/** A request of this size passes the gateway, and is read back from S3 job by job. */
export async function oneMegabyte(api: ApiClient, order: Order): Promise<string> {
  const body = manyVertices(order, 4);
  const bytes = JSON.stringify(body).length;
  const { batch_id } = await create(api, body);
  const batch = await finished(api, batch_id);
  require(batch.status === 'completed', `batch ${batch_id} is ${batch.status}`);
  return `${(bytes / 1e6).toFixed(2)} MB accepted, ${batch_id} ${batch.status}`;
}

/** Node's fetch asks for gzip by itself and unpacks it; the header stays. */
export async function longAnswersInGzip(api: ApiClient): Promise<string> {
  const long = await api.call('getOpenApi');
  const short = await api.call('getHealth');
  const codingOf = ({ headers }: typeof long) => headers.get('content-encoding') ?? 'no coding';
  require(codingOf(long) ===
    'gzip', `an answer of ${long.text.length} characters comes in ${codingOf(long)}`);
  require(codingOf(short) ===
    'no coding', `an answer of ${short.text.length} characters comes in ${codingOf(short)}`);
  return `${(long.text.length / 1e3).toFixed(0)} kB come in gzip, ${short.text.length} bytes as they are`;
}
