import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, it } from 'vitest';
import { s3Files } from '../../../lambdas/adapters/packs/s3-files.ts';
import { httpReceiving } from '../delivery/local-receiver.ts';

/** Answers a HEAD with the status that its key is. */
const service = await httpReceiving((request, response) => {
  response.writeHead(Number(request.url?.split('/').at(-1))).end();
});
afterAll(() => service[Symbol.asyncDispose]());

function sizeOf(key: number): Promise<number> {
  const client = new S3Client({
    endpoint: service.origin,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'AKIA', secretAccessKey: 'a-secret' },
    maxAttempts: 1,
  });
  return s3Files(client).size(`s3://bucket/${key}`);
}

describe('an object of S3 that is not to be had', () => {
  it.each([
    [404, 'there is no such object', false],
    [403, 'it is not there or may not be read', false],
    [503, 'S3 answers', true],
  ])('for a status of %d is told of so', async (status, reason, passing) => {
    await expect(sizeOf(status)).rejects.toMatchObject({
      name: 'PackFileUnavailable',
      reason: expect.stringContaining(reason),
      passing,
    });
  });
});
