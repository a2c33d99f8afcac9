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

describe('a new version that fails', () => {
  it('responds with 500 and logs the reason; after the rollback the batch ends', async () => {
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
    const failures = (await readLogLines(service.description, since)).filter(
      ({ fields }) => fields?.['event'] === 'batch-status' && fields['outcome'] === 'failed',
    );
    expect(failures.length).toBeGreaterThan(0);
    expect(JSON.stringify(failures[0]?.fields?.['fault'])).toMatch(/AccessDenied|not authorized/i);

    await moveTo(before);
    expect(await statuses()).toEqual(new Set([200]));
    await finished(client, batch_id);
  });
});
