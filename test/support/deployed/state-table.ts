import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { openTable, type Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import { INDEXES } from '../../../lib/storage.ts';
import { ROOT_CREDENTIALS } from '../../../local/emulator/emulator.ts';

/** A table like the deployed one, for one suite, which records every command sent to it. */
export interface StateTable extends Table {
  readonly sent: readonly { readonly command: string; readonly input: object }[];
  delete(): Promise<void>;
}

export async function createStateTable(endpoint: string, region: string): Promise<StateTable> {
  const credentials = ROOT_CREDENTIALS;
  const dynamodb = new DynamoDBClient({ endpoint, region, credentials });
  const name = `state-${randomUUID()}`;
  const keys = Object.values(INDEXES).flatMap(({ partition, sort }) => [partition, sort]);
  await dynamodb.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [...new Set(['pk', 'sk', ...keys])].map((AttributeName) => ({
        AttributeName,
        AttributeType: 'S',
      })),
      KeySchema: keySchema('pk', 'sk'),
      GlobalSecondaryIndexes: Object.entries(INDEXES).map(([IndexName, { partition, sort }]) => ({
        IndexName,
        KeySchema: keySchema(partition, sort),
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    }),
  );
  await waitUntilTableExists({ client: dynamodb, maxWaitTime: 30 }, { TableName: name });

  const sent: { command: string; input: object }[] = [];
  const table = openTable(name, dynamodb);
  table.client.middlewareStack.add(
    (next, context) => (args) => {
      sent.push({ command: String(context.commandName), input: args.input });
      return next(args);
    },
    { step: 'initialize' },
  );
  return {
    ...table,
    sent,
    delete: async () => {
      await dynamodb.send(new DeleteTableCommand({ TableName: name }));
    },
  };
}

function keySchema(partition: string, sort: string) {
  return [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
}
