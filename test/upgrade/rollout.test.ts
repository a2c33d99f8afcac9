import {
  type FunctionConfiguration,
  GetAliasCommand,
  GetFunctionConfigurationCommand,
  LambdaClient,
  PublishVersionCommand,
  paginateListFunctions,
  UpdateAliasCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { apiClient } from '../../bin/smoke/api-client.ts';
import { EXAMPLE, readBatchRequest } from '../../bin/smoke/batch-request.ts';
import { create, finished } from '../../bin/smoke/batches.ts';
import { newApiKey } from '../../lambdas/domain/tenant/api-key.ts';
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { readLogLines } from '../support/deployed/log-lines.ts';

// The runbook rollout-failing. The emulator has no CodeDeploy and no weighted aliases: the test moves the
// whole alias to the new version and back.

const POLLS = 5;

let service: LocalService;
let lambda: LambdaClient;

beforeAll(async () => {
  service = await startLocalService({
    entry: 'test/upgrade/canary-app.ts',
    limits: { requestsPerMinute: 1_000_000 },
  });
  const { endpoint_url: endpointUrl, region } = service.description;
  lambda = new LambdaClient(clientConfiguration({ endpointUrl, region }));
});

afterAll(() => service.stop());

async function functionNamed(part: string): Promise<FunctionConfiguration> {
  for await (const { Functions = [] } of paginateListFunctions({ client: lambda }, {})) {
    const found = Functions.find(({ FunctionName = '' }) => FunctionName.includes(part));
    if (found !== undefined) return found;
  }
  throw new Error(`no function's name contains ${part}`);
}

/** A version with the name of a table that does not exist. */
async function brokenVersion({ FunctionName }: FunctionConfiguration): Promise<string> {
  const whole = await lambda.send(new GetFunctionConfigurationCommand({ FunctionName }));
  const Variables = whole.Environment?.Variables ?? {};
  const withTable = (TABLE_NAME: string | undefined) =>
    lambda.send(
      new UpdateFunctionConfigurationCommand({
        FunctionName,
        Environment: { Variables: { ...Variables, ...(TABLE_NAME ? { TABLE_NAME } : {}) } },
      }),
    );
  await withTable('nowhere');
  const { Version = '' } = await lambda.send(new PublishVersionCommand({ FunctionName }));
  await withTable(Variables['TABLE_NAME']);
  return Version;
}

/** Sends a function's requests to a version that fails, until the returned function is called. */
async function rollOutBroken(part: string): Promise<() => Promise<void>> {
  const { FunctionName, ...rest } = await functionNamed(part);
  const moveTo = (FunctionVersion: string | undefined) =>
    lambda.send(new UpdateAliasCommand({ FunctionName, Name: 'live', FunctionVersion }));
  const { FunctionVersion: before } = await lambda.send(
    new GetAliasCommand({ FunctionName, Name: 'live' }),
  );
  await moveTo(await brokenVersion({ FunctionName, ...rest }));
  return async () => {
    await moveTo(before);
  };
}

async function severalTimes(status: () => Promise<number>): Promise<ReadonlySet<number>> {
  const seen = new Set<number>();
  for (let poll = 0; poll < POLLS; poll++) seen.add(await status());
  return seen;
}

describe('a new version that fails', () => {
  it('responds with 500 and logs the reason; after the rollback the batch ends', async () => {
    const client = apiClient('v2', service.description.v2_url, service.description.api_key);
    const { batch_id } = await create(client, { jobs: readBatchRequest(EXAMPLE).jobs });
    const status = async () => (await client.send('getBatchStatus', { path: { batch_id } })).status;
    expect(await severalTimes(status)).toEqual(new Set([200]));

    const since = new Date();
    const rollBack = await rollOutBroken('ApiSignedReads');
    expect(await severalTimes(status)).toEqual(new Set([500]));
    const failures = (await readLogLines(service.description, since)).filter(
      ({ fields }) => fields?.['event'] === 'batch-status' && fields['outcome'] === 'failed',
    );
    expect(failures.length).toBeGreaterThan(0);
    expect(JSON.stringify(failures[0]?.fields?.['fault'])).toMatch(/AccessDenied|not authorized/i);

    await rollBack();
    expect(await severalTimes(status)).toEqual(new Set([200]));
    await finished(client, batch_id);
  });

  it('may be the authorizer, which the APIs invoke by its alias, too', async () => {
    // A key that nobody has for each request: the gateway caches what the authorizer returns for a key.
    const status = async () =>
      (await apiClient('v2', service.description.v2_url, newApiKey()).send('listBatches')).status;
    expect(await severalTimes(status)).toEqual(new Set([401]));
    const rollBack = await rollOutBroken('ApiAuthorizer');
    expect(await severalTimes(status)).toEqual(new Set([500]));
    await rollBack();
    expect(await severalTimes(status)).toEqual(new Set([401]));
  });
});
