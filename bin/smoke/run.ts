import { alarmNotifies, alarmsAreQuiet } from './alarms.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import type { SmokeCommand } from './arguments.ts';
import type { BatchStatus, Job } from './batches.ts';
import { type Check, type Finding, lookAt, Skipped } from './check.ts';
import {
  childrenStaySilent,
  keyRotates,
  longAnswersInGzip,
  multipartUnderKms,
  oneMegabyte,
  onlyOnAws,
} from './only-aws.ts';
import { type Order, readOrder, smallJob } from './order.ts';
import { openRaster } from './raster.ts';
import { deliveries, openReceiver, type SmokeReceiver } from './receiver.ts';
import { refusals, urlOf, validity } from './signed-url.ts';
import { type DeployedStage, findStage, obtainKey } from './stage.ts';
import {
  cancelAndRetry,
  everyOperation,
  progress,
  told,
  wholeBatch,
  withoutBatch,
} from './tour.ts';

export interface SmokeReport {
  readonly stage: string;
  readonly v1_url: string;
  readonly v2_url: string;
  readonly findings: readonly Finding[];
}

/** @throws CommandError when there is no such stage to look at */
export async function runSmoke(
  command: SmokeCommand,
  say: (line: string) => void,
  onFinding: (finding: Finding) => void,
): Promise<SmokeReport> {
  const order = readOrder(command.batch);
  const stage = await findStage(command.stage);
  const key = await obtainKey(command.stage, command.key);
  say(`${stage.name}: V1 ${stage.v1Url}, V2 ${stage.v2Url}, with ${key.from}\n`);
  const open = () => openReceiver(stage.name, command.receiver, stage.v1Url);
  const receivers = { v1: await open(), v2: await open() };
  try {
    const v1 = apiClient('v1', stage.v1Url, key.text);
    const v2 = apiClient('v2', stage.v2Url, key.text);
    const small = { jobs: [smallJob(order)] };
    const checks = [
      ...deploymentChecks(v1, order, small, receivers.v1),
      ...exampleChecks(stage, v2, order, receivers.v2),
      ...stageChecks(stage, v2, order, command),
    ];
    const findings = await lookAt(checks, onFinding);
    return { stage: stage.name, v1_url: stage.v1Url, v2_url: stage.v2Url, findings };
  } finally {
    receivers.v1.close();
    receivers.v2.close();
    await key.end();
  }
}

/** Everything a deployment of the API answers, around one batch. */
function deploymentChecks(
  api: ApiClient,
  order: Order,
  wanted: object,
  receiver: SmokeReceiver,
  onBatch: (batch: BatchStatus) => void = () => {},
): readonly Check[] {
  const name = api.deployment.toUpperCase();
  let batch: BatchStatus | null = null;
  const known = (): BatchStatus => {
    if (batch === null) throw new Skipped('there is no finished batch to look at');
    return batch;
  };
  const webhook = { webhook_url: receiver.url, webhook_secret: receiver.secret };
  return [
    { name: `${name}: without a batch`, look: () => withoutBatch(api, order) },
    {
      name: `${name}: a batch`,
      look: async () => {
        batch = await wholeBatch(api, { ...wanted, ...webhook });
        onBatch(batch);
        return told(batch);
      },
    },
    { name: `${name}: progress of a job`, look: async () => progress(api, known()) },
    {
      name: `${name}: webhook`,
      look: async () => deliveries(api, known().batch_id, receiver),
    },
    { name: `${name}: cancel and retry`, look: () => cancelAndRetry(api, order) },
    { name: `${name}: every operation`, look: async () => everyOperation(api) },
  ];
}

/** V2 with the whole example, and what its results are worth. */
function exampleChecks(
  stage: DeployedStage,
  api: ApiClient,
  order: Order,
  receiver: SmokeReceiver,
): readonly Check[] {
  let result: Job | null = null;
  const known = (): Job => {
    if (result === null) throw new Skipped('there is no result to look at');
    return result;
  };
  const keep = ({ jobs }: BatchStatus) => {
    result = jobs.find(({ signed_cog_url }) => signed_cog_url !== null) ?? null;
  };
  return [
    ...deploymentChecks(api, order, order, receiver, keep),
    { name: 'a result, by range requests', look: async () => openRaster(urlOf(known())) },
    { name: 'its URL, for 24 hours', look: async () => validity(known()) },
    { name: 'its URL, altered', look: async () => refusals(known()) },
    {
      name: 'a multipart upload under KMS',
      look: async () => {
        onlyOnAws(stage, 'it asks for no KMS grant when parts are joined');
        return multipartUnderKms(known());
      },
    },
  ];
}

function stageChecks(
  stage: DeployedStage,
  api: ApiClient,
  order: Order,
  { rotate, notify }: SmokeCommand,
): readonly Check[] {
  return [
    {
      name: 'a batch of 1 MB',
      look: async () => {
        onlyOnAws(stage, 'its gateway takes bodies of any size');
        return oneMegabyte(api, order);
      },
    },
    {
      name: 'long answers in gzip',
      look: async () => {
        onlyOnAws(stage, 'its gateway compresses nothing');
        return longAnswersInGzip(api);
      },
    },
    { name: 'alarms', look: () => alarmsAreQuiet(stage) },
    {
      name: 'an alarm’s notification',
      look: async () => {
        onlyOnAws(stage, 'it publishes to encrypted topics without a grant');
        if (!notify) throw new Skipped('people would be called: --notify');
        return alarmNotifies(stage);
      },
    },
    {
      name: 'events of child executions',
      look: async () => {
        onlyOnAws(stage, 'children of its maps send no events');
        return childrenStaySilent(stage, api, order);
      },
    },
    {
      name: 'rotation of the signing key',
      look: async () => {
        onlyOnAws(stage, 'its RotateSecret never calls the function');
        if (!rotate) throw new Skipped('it takes minutes: --rotate');
        // A result of its own: the others' URLs have been looked at by then.
        const { jobs } = await wholeBatch(api, { jobs: [smallJob(order)] });
        const [job] = jobs;
        if (job === undefined) throw new Error('the batch has no job');
        return keyRotates(stage, job);
      },
    },
  ];
}
