import { describe, expect, it } from 'vitest';
import { S3_PART_LIMITS } from '../../engine/raster/cog/parts.ts';
import { MAX_ATTEMPTS, MAX_DELAY_SECONDS } from '../../lambdas/domain/delivery/schedule.ts';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { MAX_KEYS } from '../../lambdas/domain/signing/signing-key.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { valueAtPath } from '../../local/json.ts';
import { AWS_QUOTAS } from '../support/infra/aws-quotas.ts';
import { synthesise } from '../support/infra/synthesised.ts';

type QuotaName = keyof typeof AWS_QUOTAS;

/** The size as base64, in which API Gateway passes bodies to functions. */
const base64 = (bytes: number) => Math.ceil(bytes / 3) * 4;

const { ofType } = synthesise('prod');
const functions = ofType('AWS::Lambda::Function');
const findLargest = (...path: readonly string[]) =>
  Math.max(...functions.map(({ properties }) => Number(valueAtPath(properties, ...path) ?? 0)));

describe('constants that AWS limits', () => {
  it.each<readonly [what: string, value: number, quota: QuotaName]>([
    ['a body as base64', base64(LIMITS.bodyBytes), 'lambdaPayloadBytes'],
    ['the metadata of a page of batches', LIMITS.listing.metadataBytes, 'lambdaPayloadBytes'],
    [
      'the properties of all jobs',
      LIMITS.jobsPerBatch * LIMITS.propertiesBytes,
      'lambdaPayloadBytes',
    ],
    ['a body', LIMITS.bodyBytes, 'apiPayloadBytes'],
    ['an estimate', LIMITS.estimateCpuSeconds, 'apiTimeoutSeconds'],
    ['the longest timeout of a function', findLargest('Timeout'), 'lambdaTimeoutSeconds'],
    ['the largest memory of a function', findLargest('MemorySize'), 'lambdaMemoryMb'],
    ['attempts of a delivery', MAX_ATTEMPTS, 'lambdaChainedInvocations'],
    ['the jobs of a batch as indexes', LIMITS.jobsPerBatch, 'stateMachineArrayRange'],
    ['the patch-batches of a job as indexes', LIMITS.patchBatchesPerJob, 'stateMachineArrayRange'],
    ['the jobs of a batch as children', LIMITS.jobsPerBatch, 'stateMachineMapChildren'],
    ['metadata', LIMITS.metadataBytes, 'tableItemBytes'],
    ['the delay of a delivery', MAX_DELAY_SECONDS, 'queueDelaySeconds'],
    [
      'the visibility timeout of a queue',
      Math.max(
        ...ofType('AWS::SQS::Queue').map(({ properties }) =>
          Number(properties['VisibilityTimeout'] ?? 0),
        ),
      ),
      'queueVisibilitySeconds',
    ],
    ['a part of an upload', S3_PART_LIMITS.maxPartBytes, 'uploadPartBytes'],
    ['the parts of an upload', S3_PART_LIMITS.maxParts, 'uploadParts'],
    ['a webhook secret in UTF-8', LIMITS.webhookSecretBytes, 'kmsEncryptBytes'],
    ['access keys of the signing user', MAX_KEYS, 'userAccessKeys'],
  ])('%s: %d stays within %s', (_, value, quota) => {
    expect(value).toBeGreaterThan(0);
    expect(value).toBeLessThanOrEqual(AWS_QUOTAS[quota].limit);
  });

  it('a part of an upload is not below the minimum size', () => {
    const { limit } = AWS_QUOTAS.uploadPartBytesAtLeast;
    expect(S3_PART_LIMITS.minPartBytes).toBeGreaterThanOrEqual(limit);
    expect(S3_PART_LIMITS.joinedBytes).toBeGreaterThanOrEqual(limit);
  });
});

describe('the configuration accepts a value up to the quota, but none above it:', () => {
  const prod = readStageConfig('prod');
  const { runningBatches, concurrency, memoryMb, throttling, webhooks } = prod;

  it.each<readonly [key: string, quota: QuotaName, change: (value: number) => object]>([
    [
      'runningBatches.inAll',
      'stateMachineMapRuns',
      (inAll) => ({ runningBatches: { ...runningBatches, inAll } }),
    ],
    [
      'concurrency.patchBatches',
      'stateMachineInlineIterations',
      (patchBatches) => ({ concurrency: { ...concurrency, patchBatches } }),
    ],
    ['memoryMb.predict', 'lambdaMemoryMb', (predict) => ({ memoryMb: { ...memoryMb, predict } })],
    [
      'throttling.requestsPerSecond',
      'apiRequestsPerSecond',
      (requestsPerSecond) => ({ throttling: { ...throttling, requestsPerSecond } }),
    ],
    ['throttling.burst', 'apiBurst', (burst) => ({ throttling: { ...throttling, burst } })],
    [
      'webhooks.concurrency',
      'lambdaQueueConcurrency',
      (deliveries) => ({ webhooks: { ...webhooks, concurrency: deliveries } }),
    ],
  ])('%s and %s', (key, quota, change) => {
    const { limit } = AWS_QUOTAS[quota];
    const at = (value: number) => () => parseConfig({ ...prod, ...change(value) });
    expect(at(limit)).not.toThrow();
    expect(at(limit + 1)).toThrow(key);
  });
});
