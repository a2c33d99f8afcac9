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
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { type LocalService, startLocalService } from '../../local/service.ts';
import { logged } from '../e2e/operating/logged.ts';

// The runbook rollout-failing. The emulator has no CodeDeploy and knows no weights of an alias: the test
// moves it whole, forth and back.

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

/** A version that can't find the table. */
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

describe('a new version that fails, once requests go to it', () => {
  it('answers 500 and says why; back at the one before all is well, and the batch ends', async () => {
    const client = apiClient('v2', service.description.v2_url, service.description.api_key);
    const { batch_id } = await create(client, { jobs: readBatchRequest(EXAMPLE).jobs });
    const statuses = async () => {
      const seen: number[] = [];
      for (let poll = 0; poll < POLLS; poll++) {
        seen.push((await client.send('getBatchStatus', { path: { batch_id } })).status);
      }
      return new Set(seen);
    };
    expect(await statuses()).toEqual(new Set([200]));

    const fn = await functionNamed('ApiSignedReads');
    const since = new Date();
    const { FunctionVersion: before } = await lambda.send(
      new GetAliasCommand({ FunctionName: fn.FunctionName, Name: 'live' }),
    );
    const moveTo = (FunctionVersion: string | undefined) =>
      lambda.send(
        new UpdateAliasCommand({ FunctionName: fn.FunctionName, Name: 'live', FunctionVersion }),
      );
    await moveTo(await brokenVersion(fn));
    expect(await statuses()).toEqual(new Set([500]));
    const batchSummary = (await logged(service.description, since)).filter(
      ({ members }) => members?.['event'] === 'batch-status' && members['outcome'] === 'failed',
    );
    expect(batchSummary.length).toBeGreaterThan(0);
    expect(JSON.stringify(batchSummary[0]?.members?.['fault'])).toMatch(
      /AccessDenied|not authorized/i,
    );

    await moveTo(before);
    expect(await statuses()).toEqual(new Set([200]));
    await finished(client, batch_id);
  });
});
