import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { messageOf } from '../../engine/errors/message-of.ts';
import { openTable, type Table } from '../../lambdas/adapters/dynamodb/table.ts';
import { listStackNames, type StageName } from '../../lib/stages.ts';
import { CommandError } from './command.ts';
import { readLocalService } from './local-service.ts';

/** The SDK clients' configuration for a stage; empty if the environment is enough. */
export interface Connection {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

export async function openStageTable(stage: StageName): Promise<Table> {
  const connection = await connectToStage(stage);
  const stack = listStackNames(stage).stateful;
  const outputs = await readOutputs(connection, stack);
  return openTable(requireOutput(outputs, stack, 'TableName'), new DynamoDBClient(connection));
}

/** @throws CommandError if the stage is `local` and no service is running */
export async function connectToStage(stage: StageName): Promise<Connection> {
  return stage === 'local' ? connectToLocal() : {};
}

/** @throws CommandError if the environment does not set a region */
export async function connectWithRegion(
  stage: StageName,
): Promise<Connection & { readonly region: string }> {
  const connection = await connectToStage(stage);
  const region =
    connection.region ?? process.env['AWS_REGION'] ?? process.env['AWS_DEFAULT_REGION'];
  if (region === undefined) throw new CommandError('AWS_REGION must name the region to deploy to');
  return { ...connection, region };
}

/** `AWS_ENDPOINT_URL` takes precedence over the file of the running service. */
async function connectToLocal(): Promise<Connection> {
  if (process.env['AWS_ENDPOINT_URL'] !== undefined) return {};
  const service = await readLocalService();
  return {
    endpoint: service.endpoint_url,
    region: service.region,
    credentials: {
      accessKeyId: service.access_key_id,
      secretAccessKey: service.secret_access_key,
    },
  };
}

/** @throws CommandError if the stack cannot be read */
export async function readOutputs(
  connection: Connection,
  stack: string,
): Promise<Readonly<Partial<Record<string, string>>>> {
  const client = new CloudFormationClient(connection);
  const found = await client
    .send(new DescribeStacksCommand({ StackName: stack }))
    .catch((error: unknown) => {
      const message = messageOf(error);
      const why =
        message === 'Region is missing' ? 'AWS_REGION must name the region of the stack' : message;
      throw new CommandError(`the stack ${stack} cannot be read: ${why}`, 1);
    });
  const outputs = found.Stacks?.[0]?.Outputs ?? [];
  return Object.fromEntries(
    outputs.flatMap(({ OutputKey, OutputValue }) =>
      OutputKey === undefined || OutputValue === undefined ? [] : [[OutputKey, OutputValue]],
    ),
  );
}

/** @throws CommandError */
export function requireOutput(
  outputs: Readonly<Partial<Record<string, string>>>,
  stack: string,
  name: string,
): string {
  const value = outputs[name];
  if (value !== undefined) return value;
  throw new CommandError(`the stack ${stack} has no output ${name}; deploy it again`, 1);
}
