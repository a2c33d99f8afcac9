import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoApiKeys } from '../lambdas/adapters/dynamodb/api-keys.ts';
import { openTable, type Table } from '../lambdas/adapters/dynamodb/table.ts';
import { dynamoTenantRecords } from '../lambdas/adapters/dynamodb/tenants.ts';
import { timestamp } from '../lambdas/domain/clock.ts';
import { issueKey } from '../lambdas/domain/tenant/issue-api-key.ts';
import type { TenantLimits } from '../lambdas/domain/tenant/tenant.ts';
import { listStackNames } from '../lib/stages.ts';
import { type DeployOptions, deploy, type StackOutputs } from './deploy.ts';
import { configureClient, type Emulator, obtainEmulator } from './emulator/emulator.ts';
import type { EmulatorOptions } from './emulator/ministack.ts';
import { removeServiceFile, type ServiceDescription } from './service-file.ts';

const STACKS = listStackNames('local');
const TENANT = 'demo';

export interface LocalService {
  readonly description: ServiceDescription;
  readonly emulatorProcessId: number | undefined;
  /** @returns an API key of the tenant, which gets the given limits or the default ones */
  issueApiKey(tenant: string, limits?: Partial<TenantLimits>): Promise<string>;
  /** Stops the emulator, unless `AWS_ENDPOINT_URL` named it. */
  stop(): Promise<void>;
}

export interface LocalServiceOptions extends EmulatorOptions, DeployOptions {
  /** Limits of the key's tenant. @default the default limits */
  readonly limits?: Partial<TenantLimits>;
  readonly onEmulator?: (emulator: Emulator) => void | Promise<void>;
}

/**
 * Starts an emulator, deploys the service to it and creates an API key. Stops the emulator if a step fails.
 * @throws PortInUse
 */
export async function startLocalService(options: LocalServiceOptions = {}): Promise<LocalService> {
  // The SDK's warning about future Node versions does not help a newcomer.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const { onStep = () => {}, onEmulator = () => {} } = options;
  onStep('starting the AWS emulator');
  const emulator = await obtainEmulator(options);
  try {
    await onEmulator(emulator);
    const stacks = await deploy(emulator, options);
    const issueApiKey: LocalService['issueApiKey'] = async (tenant, limits) => {
      if (limits !== undefined) await createTenant(emulator, stacks, tenant, limits);
      return createApiKey(emulator, stacks, tenant);
    };
    onStep('creating an API key');
    const { accessKeyId, secretAccessKey } = configureClient(emulator).credentials;
    const description: ServiceDescription = {
      v1_url: requireOutput(stacks, STACKS.stateless, 'V1Url'),
      v2_url: requireOutput(stacks, STACKS.stateless, 'V2Url'),
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

function createApiKey(emulator: Emulator, stacks: StackOutputs, tenant: string): Promise<string> {
  return withTable(emulator, stacks, async (table) => {
    const ports = { keys: dynamoApiKeys(table), clock: table.clock };
    return (await issueKey(ports, { tenant, name: 'local', expiresAt: null })).key;
  });
}

function createTenant(
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
  const dynamo = new DynamoDBClient(configureClient(emulator));
  try {
    return await use(openTable(requireOutput(stacks, STACKS.stateful, 'TableName'), dynamo));
  } finally {
    dynamo.destroy();
  }
}

function requireOutput(stacks: StackOutputs, stack: string, name: string): string {
  const value = stacks[stack]?.[name];
  if (value === undefined) throw new Error(`the stack ${stack} has no output ${name}`);
  return value;
}

export async function keepRunning(
  service: LocalService,
  print: (line: string) => void,
): Promise<void> {
  await waitUntilStopped();
  print('Stopping …');
  await removeServiceFile();
  await service.stop();
}

function waitUntilStopped(): Promise<void> {
  return new Promise((resolve) => {
    // This timer keeps the process alive if another process started the emulator.
    const keepAlive = setInterval(() => {}, 2 ** 30);
    const stopOnce = () => {
      clearInterval(keepAlive);
      resolve();
    };
    process.once('SIGINT', stopOnce);
    process.once('SIGTERM', stopOnce);
  });
}
