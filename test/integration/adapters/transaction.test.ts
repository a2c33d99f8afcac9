import { json } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { openTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import { transact, transactWithFailures } from '../../../lambdas/adapters/dynamodb/transition.ts';
import { httpReceiving } from '../delivery/local-receiver.ts';

const request = z.looseObject({ ClientRequestToken: z.string() });

/** Answers to come, one a request, and the tokens of those that came. */
let answers: readonly object[] = [];
const tokens: string[] = [];
const service = await httpReceiving(async (incoming, response) => {
  tokens.push(request.parse(await json(incoming)).ClientRequestToken);
  const answer = answers[tokens.length - 1] ?? {};
  response.statusCode = '__type' in answer ? 400 : 200;
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(JSON.stringify(answer));
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
  ['a transaction that tells', async () => (await transactWithFailures(table(), WRITES)).kind],
])('%s', (_name, write) => {
  it('is the same one when it is sent again while it is under way, so its own effect is no refusal', async () => {
    answers = [IN_PROGRESS, IN_PROGRESS];
    expect(await write()).toBe('changed');
    expect(tokens).toHaveLength(3);
    expect(new Set(tokens).size).toBe(1);
  });

  it('is another one after it was cancelled for others’ sake', async () => {
    answers = [CONFLICT];
    expect(await write()).toBe('changed');
    expect(new Set(tokens).size).toBe(2);
  });
});
