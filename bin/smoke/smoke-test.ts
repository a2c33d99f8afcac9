import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type BatchStatus, SoilClient } from 'soil-batch-client';
import { messageOf } from '#engine/errors/message-of.ts';
import { batchStatusResponse } from '../../lambdas/api/operations/batch-status.ts';
import { listStackNames, type StageName } from '../../lib/stages.ts';
import { CommandError } from '../operator/command.ts';
import { connectToStage, readOutputs, requireOutput } from '../operator/stage-table.ts';
import { type Check, type CheckResult, require, runChecks } from './check.ts';
import { callEveryGet } from './every-get.ts';
import { type Call, METADATA, requireAdvance, runExample } from './example.ts';
import { obtainKey } from './key.ts';
import { checkRaster } from './raster.ts';
import { checkAlteredUrls, checkValidity } from './signed-url.ts';

export interface SmokeTarget {
  readonly stage: StageName;
  readonly url: string | null;
  /** Null creates a key and revokes it afterwards. */
  readonly key: string | null;
}

interface SmokeReport {
  readonly stage: StageName | null;
  readonly v1_url: string | null;
  readonly v2_url: string | null;
  readonly findings: readonly CheckResult[];
}

/** @throws CommandError if the stage does not exist, or the batch file cannot be read as JSON */
export async function runSmoke(
  given: SmokeTarget & { readonly receiver: string | null; readonly batch: string },
  log: (line: string) => void,
  onResult: (result: CheckResult) => void,
): Promise<SmokeReport> {
  const request = readRequest(given.batch);
  const key = await obtainKey(given);
  try {
    const deployments = await findDeployments(given, key.text);
    const urls = deployments.map(({ version, baseUrl }) => `${version} ${baseUrl}`).join(', ');
    log(`${urls}, with ${key.from}\n`);
    const findings = await runChecks(listChecks(deployments, request, given.receiver), onResult);
    const [v1, v2] = ['v1', 'v2'].map((name) =>
      deployments.find(({ version }) => version === name),
    );
    return {
      stage: given.url === null ? given.stage : null,
      v1_url: v1?.baseUrl ?? null,
      v2_url: v2?.baseUrl ?? null,
      findings,
    };
  } finally {
    await key.revoke();
  }
}

function readRequest(file: string): object {
  try {
    const { metadata: _, ...request } = JSON.parse(readFileSync(file, 'utf8'));
    return request;
  } catch (error) {
    throw new CommandError(`--batch ${file}: ${messageOf(error)}`);
  }
}

interface Deployment {
  readonly version: 'v1' | 'v2';
  readonly baseUrl: string;
  readonly client: SoilClient;
  readonly call: Call;
}

/** V2 comes first. */
async function findDeployments(
  { stage, url }: SmokeTarget,
  apiKey: string,
): Promise<readonly Deployment[]> {
  const at = (version: 'v1' | 'v2', baseUrl: string): Deployment => {
    const client = new SoilClient({ baseUrl, apiKey });
    return { version, baseUrl, client, call: createCall(baseUrl, apiKey) };
  };
  if (url !== null) {
    const { deployment } = await new SoilClient({ baseUrl: url, apiKey }).health();
    return [at(deployment, url)];
  }
  const { stateless } = listStackNames(stage);
  const outputs = await readOutputs(await connectToStage(stage), stateless);
  const output = (name: string) => requireOutput(outputs, stateless, name).replace(/\/$/, '');
  return [at('v2', output('V2Url')), at('v1', output('V1Url'))];
}

/**
 * Creates a function that calls the API without the client, because the client returns parsed values but the example
 * compares bytes.
 */
function createCall(baseUrl: string, apiKey: string): Call {
  return async (path, { body } = {}) => {
    const response = await fetch(`${baseUrl}${path}`, {
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body }),
      signal: AbortSignal.timeout(35_000),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
  };
}

function listChecks(
  deployments: readonly Deployment[],
  request: object,
  receiver: string | null,
): readonly Check[] {
  const [first] = deployments;
  if (first === undefined) return [];
  const webhook =
    receiver === null
      ? {}
      : { webhook_url: receiver, webhook_secret: randomBytes(24).toString('base64url') };
  let finished: { readonly batch: BatchStatus; readonly result: Result } | null = null;
  const known = () => {
    require(finished !== null, 'no batch has a result to check');
    return finished;
  };
  return [
    {
      name: 'batch',
      run: async () => {
        finished = await runBatch(first, { ...request, ...webhook });
        const { batch } = finished;
        const { batch_id, status, completed_tasks, failed_tasks } = batch;
        return `${batch_id} ${status}: ${completed_tasks} completed, ${failed_tasks} failed, metadata unchanged`;
      },
    },
    { name: 'raster', run: async () => checkRaster(known().result.url) },
    {
      name: 'signed URL',
      run: async () => `${await checkValidity(known().result)}: ${known().result.url}`,
    },
    { name: 'altered signed URLs', run: async () => checkAlteredUrls(known().result.url) },
    ...deployments.toReversed().map(({ version, client, baseUrl }) => ({
      name: `${version.toUpperCase()}: every GET`,
      run: async () => callEveryGet(version, client, baseUrl, idsOf(known())),
    })),
    ...(receiver === null
      ? []
      : [
          {
            name: 'webhook',
            run: async () => waitForAcknowledgement(first.client, known().batch.batch_id),
          },
        ]),
  ];
}

interface Result {
  readonly jobId: string;
  readonly url: string;
  readonly expiresAt: string | null;
}

/**
 * Runs the example to its end. Jobs may fail, but not because of the service or a publisher, and at least one must
 * have a result.
 */
async function runBatch({ client, call, baseUrl }: Deployment, request: object) {
  const { creation, batchId, polls } = await runExample(call, request);
  const location = creation.headers.get('location');
  require(location ===
    `${baseUrl}/v1/batch/${batchId}/status`, `the header Location is ${location} instead of the URL of the batch status`);
  requireAdvance(polls.map(({ json }) => batchStatusResponse.parse(json)));
  const isExact = polls.at(-1)?.text.includes(`"metadata":${METADATA}`) ?? false;
  require(isExact, 'the metadata was not returned as sent');
  const batch = await client.batch(batchId).status();
  let result: Result | null = null;
  const failures: string[] = [];
  for await (const job of client.batch(batchId).jobs()) {
    const { job_id, signed_cog_url, signed_url_expires_at, error_code, error_message } = job;
    const isFault = ['internal', 'deadline', 'covariate_unavailable'].includes(error_code ?? '');
    require(!isFault, `job ${job_id} of batch ${batchId}: ${error_code}: ${error_message}`);
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

/** Long enough for attempts after the first, which a receiver that is slow to start may miss. */
const DELIVERY_MS = 90_000;

async function waitForAcknowledgement(client: SoilClient, batchId: string): Promise<string> {
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
