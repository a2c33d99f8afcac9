import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { openTable, type Table } from '../../lambdas/adapters/dynamodb/table.ts';
import { type StageName, stackNames } from '../../lib/stages.ts';
import { ROOT_CREDENTIALS } from '../../local/emulator/emulator.ts';
import { SERVICE_FILE } from '../../local/paths.ts';
import { CommandError } from './command.ts';

/** The description of the local service. Without credentials in the file, its clients are root. */
const service = z.object({
  endpoint_url: z.url(),
  region: z.string(),
  access_key_id: z.string().optional(),
  secret_access_key: z.string().optional(),
});

/** Configuration of SDK clients for a stage; empty if the environment is enough. */
export interface Connection {
  readonly endpoint?: string;
  readonly region?: string;
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** Opens the table of a deployed stage, found by its stack's outputs. */
export async function openStageTable(stage: StageName): Promise<Table> {
  const connection = await connectionTo(stage);
  const stack = stackNames(stage).stateful;
  const outputs = await outputsOf(connection, stack);
  return openTable(requiredOutput(outputs, stack, 'TableName'), new DynamoDBClient(connection));
}

/** @throws CommandError if the stage is `local` and no service runs */
export async function connectionTo(stage: StageName): Promise<Connection> {
  return stage === 'local' ? localConnection() : {};
}

/** `AWS_ENDPOINT_URL` takes precedence over the file of the running service. */
async function localConnection(): Promise<Connection> {
  if (process.env['AWS_ENDPOINT_URL'] !== undefined) return {};
  const text = await readFile(SERVICE_FILE, 'utf8').catch(() => null);
  if (text === null) {
    throw new CommandError(
      `no local service is running (${path.relative(process.cwd(), SERVICE_FILE)} is missing): run npm start`,
      1,
    );
  }
  const { endpoint_url, region, access_key_id, secret_access_key } = service.parse(
    JSON.parse(text),
  );
  return {
    endpoint: endpoint_url,
    region,
    credentials:
      access_key_id === undefined || secret_access_key === undefined
        ? ROOT_CREDENTIALS
        : { accessKeyId: access_key_id, secretAccessKey: secret_access_key },
  };
}

/** Values by key. @throws CommandError */
export async function outputsOf(
  connection: Connection,
  stack: string,
): Promise<Readonly<Partial<Record<string, string>>>> {
  const client = new CloudFormationClient(connection);
  const found = await client
    .send(new DescribeStacksCommand({ StackName: stack }))
    .catch((error: unknown) => {
      const message = error instanceof Error ? error.message : String(error);
      const why = message === 'Region is missing' ? 'AWS_REGION must name its region' : message;
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
export function requiredOutput(
  outputs: Readonly<Partial<Record<string, string>>>,
  stack: string,
  name: string,
): string {
  const value = outputs[name];
  if (value !== undefined) return value;
  throw new CommandError(`the stack ${stack} has no output ${name}: deploy it again`, 1);
}
