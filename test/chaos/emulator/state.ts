import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { ListBucketsCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod';
import { ROOT_CREDENTIALS } from '../../../local/emulator/emulator.ts';
import type { ServiceDescription } from '../../../local/service-file.ts';

const item = z.looseObject({ pk: z.string(), sk: z.string() });
export type StoredItem = z.infer<typeof item>;

/** The service's items and objects, read from the emulator and not through the API. */
export class State {
  private readonly dynamo: DynamoDBClient;
  private readonly s3: S3Client;

  constructor({ endpoint_url: endpoint, region }: ServiceDescription) {
    const connection = { endpoint, region, credentials: ROOT_CREDENTIALS };
    this.dynamo = new DynamoDBClient(connection);
    this.s3 = new S3Client({ ...connection, forcePathStyle: true });
  }

  async items(): Promise<readonly StoredItem[]> {
    const { TableNames = [] } = await this.dynamo.send(new ListTablesCommand({}));
    const TableName = TableNames.find((name) => /state|storage/i.test(name));
    if (TableName === undefined) throw new Error('there is no state table');
    const items: StoredItem[] = [];
    const client = DynamoDBDocumentClient.from(this.dynamo);
    for await (const page of paginateScan({ client }, { TableName })) {
      items.push(...z.array(item).parse(page.Items ?? []));
    }
    return items;
  }

  async results(): Promise<readonly string[]> {
    const { Buckets = [] } = await this.s3.send(new ListBucketsCommand({}));
    const Bucket = Buckets.map(({ Name }) => Name).find((name) => /results/i.test(name ?? ''));
    if (Bucket === undefined) throw new Error('there is no results bucket');
    const keys: string[] = [];
    for await (const page of paginateListObjectsV2({ client: this.s3 }, { Bucket })) {
      keys.push(...(page.Contents ?? []).map(({ Key = '' }) => Key));
    }
    return keys;
  }
}
