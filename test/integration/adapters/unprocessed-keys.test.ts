import { json } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openTable, readItems } from '../../../lambdas/adapters/dynamodb/table.ts';
import { TransientFailure } from '../../../lambdas/domain/step-failure.ts';
import { receiveHttp } from '../../support/delivery/local-receiver.ts';

const key = z.object({ pk: z.object({ S: z.string() }), sk: z.object({ S: z.string() }) });
const request = z.object({
  RequestItems: z.object({
    state: z.object({ Keys: z.array(key), ConsistentRead: z.literal(true) }),
  }),
});

/** How many keys of each request the service reads, and how many keys each request had. */
let readAtOnce = 1;
const requested: number[] = [];
const service = await receiveHttp(async (incoming, response) => {
  const { Keys, ...options } = request.parse(await json(incoming)).RequestItems.state;
  requested.push(Keys.length);
  const left = Keys.slice(readAtOnce);
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(
    JSON.stringify({
      Responses: { state: Keys.slice(0, readAtOnce).toReversed() },
      UnprocessedKeys: left.length === 0 ? {} : { state: { Keys: left, ...options } },
    }),
  );
});
const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
const options = { endpoint: service.origin, region: 'eu-west-1', credentials };
const table = openTable('state', new DynamoDBClient(options));

afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => {
  requested.length = 0;
});

describe('items that DynamoDB leaves out of a response', () => {
  const keys = ['a', 'b', 'c', 'd', 'e'].map((pk) => ({ pk, sk: 'BATCH' }));

  it('are requested again, and all items are returned in order', async () => {
    readAtOnce = 2;
    expect(await readItems(table, keys)).toEqual(keys);
    expect(requested).toEqual([5, 3, 1]);
  });

  it('are not requested forever', async () => {
    readAtOnce = 0;
    await expect(readItems(table, keys)).rejects.toThrow(TransientFailure);
    expect(requested.length).toBeGreaterThan(2);
  });
});
