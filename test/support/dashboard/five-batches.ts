import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import {
  type Batch,
  type BatchStatus,
  type NewJob,
  SoilClient,
} from '../../../client/src/index.ts';
import { batchKey } from '../../../lambdas/adapters/dynamodb/item-keys.ts';
import { addSeconds, timestamp } from '../../../lambdas/domain/clock.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';
import { webhookReceiver } from '../delivery/webhook-receiver.ts';
import { openDeployedTable } from '../deployed/deployed-table.ts';
import { eventually } from '../deployed/eventually.ts';
import { SEVERAL_PATCH_BATCHES } from '../deployed/jobs.ts';
import { createOperator } from '../deployed/operator.ts';

const EMPTY = { polygon: { type: 'Polygon', coordinates: [] }, year: 2024 };
const many = (jobs: number) => Array.from({ length: jobs }, () => SEVERAL_PATCH_BATCHES);

/** The batches of a dashboard that an operator looks at, named after what is special about each. */
export interface FiveBatches extends AsyncDisposable {
  readonly running: Batch;
  readonly sixHours: Batch;
  readonly oneJob: Batch;
  readonly cancelled: Batch;
  readonly partial: Batch;
}

/**
 * Creates five batches: three that run until the result is disposed of, because predictions are blocked meanwhile, one
 * that was cancelled while it ran, and one with a failed job.
 * @param issueKey creates the key of a tenant that no other test uses
 */
export async function makeFiveBatches(
  service: Pick<ServiceDescription, 'endpoint_url' | 'region' | 'v2_url'>,
  issueKey: (tenant: string) => Promise<string>,
): Promise<FiveBatches> {
  const clientOf = async (tenant: string) =>
    new SoilClient({ baseUrl: service.v2_url, apiKey: await issueKey(tenant) });
  const [farm, institute] = [await clientOf('farm'), await clientOf('institute')];

  await using receiver = await webhookReceiver();
  const partial = await create(farm, [EMPTY, SEVERAL_PATCH_BATCHES], {
    webhook_url: receiver.url,
    webhook_secret: 'the secret of a dashboard',
  });
  const cancelled = await create(institute, many(6));
  await waitUntil(cancelled, hasBegun);
  await cancelled.cancel();
  await Promise.all([partial, cancelled].map((batch) => waitUntil(batch, isFinished)));
  await receiver.first(partial.id);

  const sixHours = await create(farm, many(40));
  const running = await create(farm, [EMPTY, ...many(40)]);
  await Promise.all(
    [sixHours, running].map((batch) =>
      waitUntil(batch, ({ completed_jobs }) => completed_jobs > 0),
    ),
  );
  const paused = await createOperator(service).limit('PipelinePredict', 0);
  const oneJob = await create(institute, many(1));

  const table = await openDeployedTable(service);
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: batchKey(sixHours.id),
      UpdateExpression: 'SET slot_claimed_at = :since',
      ExpressionAttributeValues: { ':since': addSeconds(timestamp(new Date()), -6 * 3_600) },
    }),
  );
  return {
    running,
    sixHours,
    oneJob,
    cancelled,
    partial,
    [Symbol.asyncDispose]: () => paused[Symbol.asyncDispose](),
  };
}

async function create(
  client: SoilClient,
  jobs: readonly NewJob[],
  webhook: object = {},
): Promise<Batch> {
  const { batch_id } = await client.createBatch({ jobs, ...webhook });
  return client.batch(batch_id);
}

const waitUntil = (batch: Batch, wanted: (status: BatchStatus) => boolean) =>
  eventually(() => batch.status(), wanted, { everyMs: 1_000 });
const hasBegun = ({ progress }: BatchStatus) => progress > 0;
const isFinished = ({ completed_at }: BatchStatus) => completed_at !== null;
