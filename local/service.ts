import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoApiKeys } from '../lambdas/adapters/dynamodb/api-keys.ts';
import { openTable, type Table } from '../lambdas/adapters/dynamodb/table.ts';
import { dynamoTenantRecords } from '../lambdas/adapters/dynamodb/tenants.ts';
import { timestamp } from '../lambdas/domain/clock.ts';
import { issueKey } from '../lambdas/domain/tenant/issue-key.ts';
import type { TenantLimits } from '../lambdas/domain/tenant/tenant-limits.ts';
import { stackNames } from '../lib/stages.ts';
import { type DeployOptions, deploy, type StackOutputs } from './deploy.ts';
import { clientConfiguration, type Emulator, obtainEmulator } from './emulator/emulator.ts';
import type { EmulatorOptions } from './emulator/ministack.ts';
import type { ServiceDescription } from './service-file.ts';

const STACKS = stackNames('local');
const TENANT = 'demo';

/** The service, deployed and ready to be called. */
export interface LocalService {
  readonly description: ServiceDescription;
  /** See {@link Emulator.processId}. */
  readonly emulatorProcessId: number | undefined;
  /** @returns the key of one more tenant, limited as every tenant is or as said */
  issueApiKey(tenant: string, limits?: Partial<TenantLimits>): Promise<string>;
  /** Ends the emulator; one that was named by `AWS_ENDPOINT_URL` stays. */
  stop(): Promise<void>;
}

export interface LocalServiceOptions extends EmulatorOptions, DeployOptions {
  /**
   * What the key's tenant may ask for.
   * @default as every tenant of the service
   */
  readonly limits?: Partial<TenantLimits>;
  /** Told of the emulator before anything is deployed to it. */
  readonly onEmulator?: (emulator: Emulator) => void | Promise<void>;
}

/**
 * Starts an emulator, deploys the service to it and makes an API key.
 * When a step fails the emulator is stopped again.
 *
 * @throws PortInUse
 */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  // A note of the SDK about Node versions to come is none of a newcomer's business.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { onStep = () => {}, onEmulator = () => {} } = options;
  onStep('starting the AWS emulator');
  const emulator = await obtainEmulator(options);
  try {
    await onEmulator(emulator);
    const stacks = await deploy(emulator, options);
    const issueApiKey: LocalService['issueApiKey'] = async (tenant, limits) => {
      if (limits !== undefined) await limitIn(emulator, stacks, tenant, limits);
      return issueIn(emulator, stacks, tenant);
    };
    onStep('making an API key');
    const { accessKeyId, secretAccessKey } = clientConfiguration(emulator).credentials;
    const description: ServiceDescription = {
      v1_url: output(stacks, STACKS.stateless, 'V1Url'),
      v2_url: output(stacks, STACKS.stateless, 'V2Url'),
      api_key: await issueApiKey(TENANT, options.limits),
      endpoint_url: emulator.endpointUrl,
      region: emulator.region,
      access_key_id: accessKeyId,
      secret_access_key: secretAccessKey,
      log_file: emulator.logFile ?? null,
      process_id: process.pid,
    };
    return {
      description,
      emulatorProcessId: emulator.processId,
      issueApiKey,
      stop: () => emulator.stop(),
    };
  } catch (error) {
    await emulator.stop();
    throw error;
  }
}

function issueIn(emulator: Emulator, stacks: StackOutputs, tenant: string): Promise<string> {
  return withTable(emulator, stacks, async (table) => {
    const order = { tenant, name: 'local', expiresAt: null };
    return (await issueKey({ keys: dynamoApiKeys(table), clock: table.clock }, order)).key;
  });
}

function limitIn(
  emulator: Emulator,
  stacks: StackOutputs,
  tenant: string,
  limits: Partial<TenantLimits>,
): Promise<unknown> {
  return withTable(emulator, stacks, async (table) => {
    const createdAt = timestamp(table.clock());
    await dynamoTenantRecords(table).create({ tenant, createdAt, disabledAt: null, limits });
  });
}

async function withTable<Result>(
  emulator: Emulator,
  stacks: StackOutputs,
  use: (table: Table) => Promise<Result>,
): Promise<Result> {
  const dynamo = new DynamoDBClient(clientConfiguration(emulator));
  try {
    return await use(openTable(output(stacks, STACKS.stateful, 'TableName'), dynamo));
  } finally {
    dynamo.destroy();
  }
}

function output(stacks: StackOutputs, stack: string, name: string): string {
  const value = stacks[stack]?.[name];
  if (value === undefined) throw new Error(`the stack ${stack} has no output ${name}`);
  return value;
}
