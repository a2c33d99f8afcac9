import { json } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import { transact, transactWithFailures } from '../../../lambdas/adapters/dynamodb/transition.ts';
import { receiveHttp } from '../../support/delivery/local-receiver.ts';

const request = z.looseObject({ ClientRequestToken: z.string() });

/** The next responses, one per request. */
let planned: readonly object[] = [];
const tokens: string[] = [];
const service = await receiveHttp(async (incoming, response) => {
  tokens.push(request.parse(await json(incoming)).ClientRequestToken);
  const next = planned[tokens.length - 1] ?? {};
  response.statusCode = '__type' in next ? 400 : 200;
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(JSON.stringify(next));
});
const endpoint = service.origin;

afterAll(() => service[Symbol.asyncDispose]());
beforeEach(() => {
  tokens.length = 0;
});

function table() {
  const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };
  const options = { endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 };
  return openTable('state', new DynamoDBClient(options));
}

const WRITES = [{ Put: { TableName: 'state', Item: { pk: 'a', sk: 'b' } } }];
const IN_PROGRESS = { __type: 'com.amazonaws.dynamodb.v20120810#TransactionInProgressException' };
const CONFLICT = {
  __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
  CancellationReasons: [{ Code: 'TransactionConflict' }],
};

describe.each([
  ['a transaction', async () => transact(table(), WRITES)],
  [
    'a transaction that reports conflicts',
    async () => (await transactWithFailures(table(), WRITES)).kind,
  ],
])('%s', (_name, write) => {
  it('keeps its token when it is sent again, so that it does not conflict with itself', async () => {
    planned = [IN_PROGRESS, IN_PROGRESS];
    expect(await write()).toBe('changed');
    expect(tokens).toHaveLength(3);
    expect(new Set(tokens).size).toBe(1);
  });

  it('gets a new token after a conflict cancelled it', async () => {
    planned = [CONFLICT];
    expect(await write()).toBe('changed');
    expect(new Set(tokens).size).toBe(2);
  });
});
