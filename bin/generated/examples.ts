import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { OVER_HTTP } from '../../lambdas/api/operations/create-batch.ts';
import { createRequestExample } from '../../lambdas/api/operations/create-request.ts';
import { describeTrust, limitsView } from '../../lambdas/api/operations/limits.ts';
import { modelsResponse } from '../../lambdas/api/operations/models.ts';
import { retryRequestExample } from '../../lambdas/api/operations/retry-batch.ts';
import { usageView } from '../../lambdas/api/operations/usage.ts';
import { allowanceOf } from '../../lambdas/domain/admission/quota.ts';
import { jobIdsOf } from '../../lambdas/domain/identity.ts';
import { RETENTION_DAYS } from '../../lambdas/domain/limits.ts';
import { newApiKey } from '../../lambdas/domain/tenant/api-key.ts';
import { DEFAULT_TENANT_LIMITS } from '../../lambdas/domain/tenant/tenant.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { startDevServer } from '../../local/dev/server.ts';
import project from '../../package.json' with { type: 'json' };

/** Fields that differ from run to run; they keep the value of the existing example. */
const MEASURED = new Set([
  ...['inference_duration_ms', 'bytes', 'etag', 'estimated_completion_range'],
  ...['signed_cog_url', 'expected_seconds', 'expected_duration'],
]);
const TIME = /^\d{4}-\d\d-\d\dT/;

/** The batch of all examples and its retry. Each ID contains the time of its creation (RFC 9562, section 5.7). */
const EXAMPLE_BATCH = '01a1fd7e-7d08-73d2-96ae-b256a1f55901';
const EXAMPLE_RETRY = '01a1fd85-3fa4-7a52-8d4b-5f6a7b8c9d0e';

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

export const locateExample = (name: string): URL =>
  new URL(`../../lambdas/api/operations/examples/${name}.json`, import.meta.url);

export async function collectExamples(): Promise<ReadonlyMap<string, Json>> {
  const fresh = { ...(await runExampleBatch()), ...computeExamples() };
  return new Map(
    Object.entries(fresh).map(([name, value]) => {
      const kept: Json = JSON.parse(readFileSync(locateExample(name), 'utf8'));
      return [name, keepMeasured(value, kept)];
    }),
  );
}

function computeExamples() {
  const spent = {
    used: { jobs: 12, squareMetres: 3_275_130 },
    refunded: { jobs: 1, squareMetres: 80_000 },
  };
  return {
    usage: toJson(usageView(allowanceOf('2026-03-04', DEFAULT_TENANT_LIMITS, spent))),
    limits: toJson(
      limitsView(
        DEFAULT_TENANT_LIMITS,
        { retentionDays: RETENTION_DAYS, runningBatches: 10 },
        describeTrust(
          {
            principal: 'arn:aws:iam::111122223333:root',
            externalIdScope: 'soil-batch/eu-west-1/prod',
            accounts: null,
          },
          'farm',
        ),
      ),
    ),
  };
}

async function runExampleBatch() {
  const receiver = await startReceiver();
  const apiKey = newApiKey();
  const { url, server } = await startDevServer({
    port: 0,
    config: readStageConfig('local'),
    version: project.version,
    apiKey,
    write: () => {},
    onFault: (_, error) => console.error(error),
  });
  const sendRequest = async (
    path: string,
    body?: object,
  ): Promise<{ readonly [name: string]: Json }> => {
    const response = await fetch(`${url}${path}`, {
      headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return JSON.parse((await response.text()).replaceAll(url, 'https://v2.soil.example'));
  };
  try {
    const [first, ...others] = createRequestExample.jobs;
    const request = {
      ...createRequestExample,
      name: 'Meuse flood plain',
      jobs: [{ ...first, properties: { parcel: 'A-17', slope: 1.5 } }, ...others],
    };
    const estimate = await sendRequest('/v1/batch/estimate', request);
    const created = await sendRequest('/v1/batch', { ...request, webhook_url: receiver.url });
    const batch = `/v1/batch/${created['batch_id']}`;
    const [job] = Array.from(Object(created['job_ids']));
    const completion = await receiver.body;
    const waitUntilFinished = async (path: string) => {
      for (;;) {
        const status = await sendRequest(`${path}/status`);
        if (status['completed_at'] !== null) return status;
        await sleep(50);
      }
    };
    const status = await waitUntilFinished(batch);
    const retried = await sendRequest(`${batch}/retry`, retryRequestExample);
    await waitUntilFinished(`/v1/batch/${retried['batch_id']}`);
    // The run's receiver is on this machine and uses http; the example's receiver uses https.
    const message = String(created['message']).replace(` ${OVER_HTTP}`, '');
    const run = {
      'estimate-batch': estimate,
      'create-batch': { ...created, message },
      'retry-batch': retried,
      'batch-status': status,
      'batch-total': await sendRequest(`${batch}/total`),
      'completion-webhook': completion,
      'job-status': await sendRequest(`${batch}/jobs/${job}/status`),
      'patch-batch-status': await sendRequest(`${batch}/jobs/${job}/patches/0/status`),
      models: takeDefaultModel(await sendRequest('/v1/models')),
    };
    return replaceIds(run, [
      [String(created['batch_id']), EXAMPLE_BATCH],
      [String(retried['batch_id']), EXAMPLE_RETRY],
    ]);
  } finally {
    server.close();
    receiver.close();
  }
}

function replaceIds(
  run: Readonly<Record<string, Json>>,
  batches: readonly (readonly [string, string])[],
): Readonly<Record<string, Json>> {
  let text = JSON.stringify(run);
  for (const [id, example] of batches) {
    const jobs = jobIdsOf(example, createRequestExample.jobs.length);
    for (const [index, job] of jobIdsOf(id, jobs.length).entries()) {
      text = text.replaceAll(job, jobs[index] ?? job);
    }
    text = text.replaceAll(id, example);
  }
  return JSON.parse(text);
}

function takeDefaultModel(response: { readonly [name: string]: Json }): Json {
  const { models } = modelsResponse.parse(response);
  return toJson({
    models: models.slice(0, 1).map((model) => ({ ...model, accuracy: model.accuracy.slice(0, 3) })),
  });
}

async function startReceiver() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const body = new Promise<Json>((resolve) => {
    server.on('request', async (request, response) => {
      const sent = await json(request);
      response.end();
      resolve(sent as Json);
    });
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, body, close: () => server.close() };
}

function keepMeasured(value: Json, kept: Json | undefined, name = ''): Json {
  if (kept !== undefined && MEASURED.has(name)) return kept;
  if (typeof value === 'string' && typeof kept === 'string') {
    return TIME.test(value) && TIME.test(kept) ? kept : value;
  }
  if (Array.isArray(value)) {
    const elements = Array.isArray(kept) ? kept : [];
    return value.map((element, index) => keepMeasured(element, elements[index]));
  }
  if (typeof value !== 'object' || value === null) return value;
  const fields: { readonly [name: string]: Json } = Object(kept ?? {});
  return Object.fromEntries(
    Object.entries(value).map(([field, each]) => [field, keepMeasured(each, fields[field], field)]),
  );
}

function toJson(value: object): Json {
  return JSON.parse(JSON.stringify(value));
}
