import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type BatchStatus, SoilClient } from 'soil-batch-client';
import { listStackNames, type StageName } from '../../lib/stages.ts';
import { CommandError } from '../operator/command.ts';
import { connectToStage, readOutputs, requireOutput } from '../operator/stage-table.ts';
import { type Check, type CheckResult, reasonOf, require, runChecks } from './check.ts';
import { everyGet } from './every-get.ts';
import { obtainKey } from './key.ts';
import { openRaster } from './raster.ts';
import { alteredUrls, validity } from './signed-url.ts';

interface SmokeReport {
  readonly stage: string;
  readonly v1_url: string;
  readonly v2_url: string;
  readonly findings: readonly CheckResult[];
}

/** @throws CommandError if the stage does not exist, or the file is no JSON object */
export async function runSmoke(
  given: {
    readonly stage: StageName;
    readonly key: string | null;
    readonly receiver: string | null;
    readonly batch: string;
  },
  log: (line: string) => void,
  onResult: (result: CheckResult) => void,
): Promise<SmokeReport> {
  const { stage, receiver } = given;
  const request = readRequest(given.batch);
  const { v1Url, v2Url } = await urlsOf(stage);
  const key = await obtainKey(stage, given.key);
  log(`${stage}: V1 ${v1Url}, V2 ${v2Url}, with ${key.from}\n`);
  try {
    const findings = await runChecks(
      checksOf({ v1Url, v2Url, key: key.text, request, receiver }),
      onResult,
    );
    return { stage, v1_url: v1Url, v2_url: v2Url, findings };
  } finally {
    await key.revoke();
  }
}

function readRequest(file: string): object {
  try {
    return Object(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new CommandError(`--batch ${file}: ${reasonOf(error)}`);
  }
}

async function urlsOf(stage: StageName) {
  const { stateless } = listStackNames(stage);
  const outputs = await readOutputs(await connectToStage(stage), stateless);
  const url = (name: string) => requireOutput(outputs, stateless, name).replace(/\/$/, '');
  return { v1Url: url('V1Url'), v2Url: url('V2Url') };
}

/** A batch on V2, one of its results, and every GET of both deployments for it. */
function checksOf({
  v1Url,
  v2Url,
  key,
  request,
  receiver,
}: {
  readonly v1Url: string;
  readonly v2Url: string;
  readonly key: string;
  readonly request: object;
  readonly receiver: string | null;
}): readonly Check[] {
  const v1 = new SoilClient({ baseUrl: v1Url, apiKey: key });
  const v2 = new SoilClient({ baseUrl: v2Url, apiKey: key });
  const webhook =
    receiver === null
      ? {}
      : { webhook_url: receiver, webhook_secret: randomBytes(24).toString('base64url') };
  let finished: { readonly batch: BatchStatus; readonly result: Result } | null = null;
  const known = () => {
    require(finished !== null, 'no batch has a result');
    return finished;
  };
  return [
    {
      name: 'batch',
      run: async () => {
        finished = await runBatch(v2, { ...request, ...webhook });
        const { batch } = finished;
        const { batch_id, status, completed_tasks, failed_tasks } = batch;
        return `${batch_id} ${status}: ${completed_tasks} completed, ${failed_tasks} failed as expected`;
      },
    },
    { name: 'raster', run: async () => openRaster(known().result.url) },
    {
      name: 'signed URL',
      run: async () => `${await validity(known().result)}: ${known().result.url}`,
    },
    { name: 'altered signed URLs', run: async () => alteredUrls(known().result.url) },
    { name: 'V1: every GET', run: async () => everyGet('v1', v1, v1Url, idsOf(known())) },
    { name: 'V2: every GET', run: async () => everyGet('v2', v2, v2Url, idsOf(known())) },
    ...(receiver === null
      ? []
      : [{ name: 'webhook', run: async () => acknowledged(v2, known().batch.batch_id) }]),
  ];
}

/** A busy account needs minutes for the example. */
const BATCH_MS = 600_000;

/** A job with its signed URL. */
interface Result {
  readonly jobId: string;
  readonly url: string;
  readonly expiresAt: string | null;
}

/** Runs a batch to its end. Jobs may fail for invalid input alone, and one must have a result. */
async function runBatch(client: SoilClient, request: object) {
  const { batch_id } = await client.createBatch(JSON.stringify(request));
  const batch = await client.batch(batch_id).waitFor({ timeout: BATCH_MS });
  let result: Result | null = null;
  const failures: string[] = [];
  for await (const job of client.batch(batch_id).jobs()) {
    const { job_id, signed_cog_url, signed_url_expires_at, error_code, error_message } = job;
    const isFault = ['internal', 'deadline', 'covariate_unavailable'].includes(error_code ?? '');
    require(!isFault, `job ${job_id} of batch ${batch_id}: ${error_code}: ${error_message}`);
    if (signed_cog_url === null) failures.push(`${error_code}: ${error_message}`);
    else result ??= { jobId: job_id, url: signed_cog_url, expiresAt: signed_url_expires_at };
  }
  require(result !== null, `no job has a result: ${failures.join('; ')}`);
  return { batch, result };
}

const idsOf = ({ batch, result }: { readonly batch: BatchStatus; readonly result: Result }) => ({
  batchId: batch.batch_id,
  jobId: result.jobId,
});

/** The first attempt comes at once; a receiver that is slow to start gets the next ones. */
const DELIVERY_MS = 90_000;

async function acknowledged(client: SoilClient, batchId: string): Promise<string> {
  const deadline = Date.now() + DELIVERY_MS;
  for (;;) {
    const { state, attempts } = await client.batch(batchId).deliveries();
    const last = `${state}: ${JSON.stringify(attempts.at(-1))}`;
    if (state === 'acknowledged') return last;
    require(state === 'due' || state === null, last);
    require(Date.now() < deadline, `not delivered within ${DELIVERY_MS / 1_000} s: ${last}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}
