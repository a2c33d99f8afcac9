import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { CLIENT_OPTIONS } from '../../../lambdas/adapters/clients.ts';
import { asTransientFailure } from '../../../lambdas/adapters/service-failure.ts';
import { receiveHttp } from '../../support/delivery/local-receiver.ts';

/** Calls a server with short timeouts, and returns the error. */
async function callFailing(respond: (end: (head: string) => void) => void): Promise<unknown> {
  await using server = await receiveHttp((_, response) => {
    respond((head) => response.writeHead(200, { 'Content-Length': '1000' }).write(head));
  });
  const client = new S3Client({
    requestHandler: { ...CLIENT_OPTIONS.requestHandler, requestTimeout: 50, socketTimeout: 50 },
    endpoint: server.origin,
    forcePathStyle: true,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
    maxAttempts: 1,
  });
  try {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'bucket', Key: 'key' }));
    return await Body?.transformToByteArray();
  } catch (error) {
    return error;
  } finally {
    client.destroy();
  }
}

describe('a service that stops responding', () => {
  it.each([
    ['before its response', () => undefined],
    ['in the middle of its response', (write: (text: string) => void) => write('half of it')],
  ])('causes a transient failure %s', async (_when, respond) => {
    expect(asTransientFailure(await callFailing(respond))).toMatchObject({
      name: 'TransientFailure',
    });
  });
});
