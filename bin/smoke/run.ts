import { stageConfig } from '../../lib/config/each-stage.ts';
import {
  alarmNotifies,
  alarmsAreQuiet,
  alarmsHaveRecipients,
  quotasAreMeasured,
} from './alarms.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import type { SmokeCommand } from './arguments.ts';
import { type BatchRequest, readBatchRequest, smallJob } from './batch-request.ts';
import type { BatchStatus, Job } from './batches.ts';
import { type Check, type CheckResult, runChecks, Skipped } from './check.ts';
import { largeRaster } from './large-raster.ts';
import { mapOverhead } from './map-run.ts';
import {
  gzipOfLongResponses,
  keyIsRejected,
  largeBatch,
  multipartUploadUnderKms,
  noEventsOfChildren,
  oneSigningKey,
  onlyOnAws,
  signingKeyRotates,
} from './only-aws.ts';
import {
  allOperations,
  cancelAndRetry,
  creationWithSlash,
  describeEnd,
  item,
  operationsWithoutBatch,
  preview,
  progress,
  results,
  runBatch,
} from './operations.ts';
import { openRaster } from './raster.ts';
import { deliveries, openReceiver, type SmokeReceiver } from './receiver.ts';
import { alteredUrls, urlOf, validity } from './signed-url.ts';
import { type DeployedStage, findStage, obtainKey } from './stage.ts';

export interface SmokeReport {
  readonly stage: string;
  readonly v1_url: string;
  readonly v2_url: string;
  readonly findings: readonly CheckResult[];
}

/** @throws CommandError if the stage does not exist */
export async function runSmoke(
  command: SmokeCommand,
  log: (line: string) => void,
  onResult: (result: CheckResult) => void,
): Promise<SmokeReport> {
  const request = readBatchRequest(command.batch);
  const stage = await findStage(command.stage);
  const key = await obtainKey(command.stage, command.key);
  log(`${stage.name}: V1 ${stage.v1Url}, V2 ${stage.v2Url}, with ${key.from}\n`);
  const open = () => openReceiver(stage.name, command.receiver, stage.v1Url);
  const receivers = { v1: await open(), v2: await open() };
  try {
    const v1 = apiClient('v1', stage.v1Url, key.text);
    const v2 = apiClient('v2', stage.v2Url, key.text);
    const small = { jobs: [smallJob(request)] };
    const checks = [
      ...deploymentChecks(v1, request, small, receivers.v1),
      ...exampleChecks(stage, v2, request, receivers.v2),
      ...stageChecks(stage, v2, request, command),
    ];
    const findings = await runChecks(checks, onResult);
    return { stage: stage.name, v1_url: stage.v1Url, v2_url: stage.v2Url, findings };
  } finally {
    receivers.v1.close();
    receivers.v2.close();
    await key.revoke();
  }
}

/** Checks of one deployment of the API: every operation, with one batch. */
function deploymentChecks(
  api: ApiClient,
  request: BatchRequest,
  batchRequest: object,
  receiver: SmokeReceiver,
  onBatch: (batch: BatchStatus) => void = () => {},
): readonly Check[] {
  const name = api.deployment.toUpperCase();
  let batch: BatchStatus | null = null;
  const known = (): BatchStatus => {
    if (batch === null) throw new Skipped('no batch has finished');
    return batch;
  };
  const webhook = { webhook_url: receiver.url, webhook_secret: receiver.secret };
  return [
    {
      name: `${name}: operations without a batch`,
      run: () => operationsWithoutBatch(api, request),
    },
    {
      name: `${name}: batch`,
      run: async () => {
        batch = await runBatch(api, { ...batchRequest, ...webhook });
        onBatch(batch);
        return describeEnd(batch);
      },
    },
    { name: `${name}: job progress`, run: async () => progress(api, known()) },
    { name: `${name}: preview`, run: async () => preview(api, known()) },
    { name: `${name}: results`, run: async () => results(api, known()) },
    { name: `${name}: item`, run: async () => item(api, known()) },
    {
      name: `${name}: webhook`,
      run: async () => deliveries(api, known().batch_id, receiver),
    },
    { name: `${name}: path with a slash`, run: () => creationWithSlash(api, request) },
    { name: `${name}: cancel and retry`, run: () => cancelAndRetry(api, request) },
    { name: `${name}: all operations`, run: async () => allOperations(api, known()) },
  ];
}

/** Checks of V2 with the whole example, and of one of its results. */
function exampleChecks(
  stage: DeployedStage,
  api: ApiClient,
  request: BatchRequest,
  receiver: SmokeReceiver,
): readonly Check[] {
  let result: Job | null = null;
  const known = (): Job => {
    if (result === null) throw new Skipped('no job has a result');
    return result;
  };
  let results: readonly Job[] = [];
  let finished: BatchStatus | null = null;
  const keep = (batch: BatchStatus) => {
    const { jobs } = batch;
    finished = batch;
    results = jobs.filter(({ signed_cog_url }) => signed_cog_url !== null);
    result = results[0] ?? null;
  };
  return [
    ...deploymentChecks(api, request, request, receiver, keep),
    { name: 'result by range requests', run: async () => openRaster(urlOf(known())) },
    { name: 'result URL valid for 24 hours', run: async () => validity(known()) },
    { name: 'altered result URLs rejected', run: async () => alteredUrls(known()) },
    {
      name: 'API key at a result URL rejected',
      run: async () => {
        onlyOnAws(stage, 'it ignores the header');
        return keyIsRejected(known());
      },
    },
    {
      name: 'multipart upload under KMS',
      run: async () => {
        onlyOnAws(stage, 'it requires no KMS permission to complete an upload');
        return multipartUploadUnderKms(known());
      },
    },
    {
      name: 'overhead of a distributed map',
      run: async () => {
        onlyOnAws(stage, 'its maps start and end at once');
        if (finished === null) throw new Skipped('no batch has finished');
        return mapOverhead(stage, finished);
      },
    },
    { name: 'raster over 10 MiB', run: async () => largeRaster(api, results) },
  ];
}

function stageChecks(
  stage: DeployedStage,
  api: ApiClient,
  request: BatchRequest,
  { rotate, notify }: SmokeCommand,
): readonly Check[] {
  const { email = 'none', topicArn: recipient = email } = stageConfig(stage.name).alarms;
  return [
    {
      name: 'batch of 1 MB',
      run: async () => {
        onlyOnAws(stage, 'its gateway accepts bodies of any size');
        return largeBatch(api, request);
      },
    },
    {
      name: 'gzip of long responses',
      run: async () => {
        onlyOnAws(stage, 'its gateway compresses nothing');
        return gzipOfLongResponses(api);
      },
    },
    { name: 'alarms', run: () => alarmsAreQuiet(stage) },
    {
      name: 'recipients of alarms',
      run: async () => {
        onlyOnAws(stage, 'nobody confirms a subscription there');
        if (recipient === 'none') throw new Skipped("alarms.email is 'none' or missing");
        return alarmsHaveRecipients(stage);
      },
    },
    {
      name: 'data of the quota alarms',
      run: async () => {
        onlyOnAws(stage, 'it publishes no metrics of its services');
        return quotasAreMeasured(stage);
      },
    },
    {
      name: 'alarm notification',
      run: async () => {
        onlyOnAws(stage, 'it publishes to encrypted topics without a grant');
        if (!notify) throw new Skipped('in prod it notifies people: use --notify');
        return alarmNotifies(stage);
      },
    },
    {
      name: 'events of child executions',
      run: async () => {
        onlyOnAws(stage, 'its child executions send no events');
        return noEventsOfChildren(stage, api, request);
      },
    },
    {
      name: 'rotation of the signing key',
      run: async () => {
        onlyOnAws(stage, 'its RotateSecret does not invoke the function');
        if (!rotate) throw new Skipped('in prod only with --rotate');
        await oneSigningKey(stage);
        // A new result: the URLs of the others may have been signed long before.
        const { jobs } = await runBatch(api, { jobs: [smallJob(request)] });
        const [job] = jobs;
        if (job === undefined) throw new Error('the batch has no job');
        return signingKeyRotates(stage, job);
      },
    },
  ];
}
