import { randomUUID } from 'node:crypto';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DynamoDBClient,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { openTable, type Table } from '../../../lambdas/adapters/dynamodb/table.ts';
import { INDEXES } from '../../../lib/table-indexes.ts';
import { ROOT_CREDENTIALS } from '../../../local/emulator/emulator.ts';

interface Sent {
  readonly command: string;
  readonly input: object;
  units?: number;
}

/** A table like the deployed one, for one suite, which records every command sent to it. */
export interface StateTable extends Table {
  readonly sent: readonly Sent[];
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

  const sent: Sent[] = [];
  const table = openTable(name, dynamodb);
  table.client.middlewareStack.add(
    (next, context) => async (args) => {
      const one: Sent = { command: String(context.commandName), input: args.input };
      sent.push(one);
      const result = await next({
        ...args,
        input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' },
      });
      one.units = countUnits(result.output);
      return result;
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

/**
 * Adds up consumed capacity: a response about one table has one value, and responses to transactions and batches have a
 * list.
 */
function countUnits(output: object): number {
  const consumed = 'ConsumedCapacity' in output ? output.ConsumedCapacity : [];
  return [consumed]
    .flat()
    .reduce<number>(
      (sum, each) => sum + z.object({ CapacityUnits: z.number() }).parse(each).CapacityUnits,
      0,
    );
}

function keySchema(partition: string, sort: string) {
  return [
    { AttributeName: partition, KeyType: 'HASH' as const },
    { AttributeName: sort, KeyType: 'RANGE' as const },
  ];
}
