import { createServer } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { s3Files } from '../../../lambdas/adapters/packs/s3-files.ts';

/** Answers a HEAD with the status that its key is. */
const service = createServer((request, response) => {
  response.writeHead(Number(request.url?.split('/').at(-1))).end();
});
beforeAll(async () => {
  await new Promise<void>((ready) => service.listen(0, '127.0.0.1', ready));
});
afterAll(() => service.close());

function sizeOf(key: number): Promise<number> {
  const address = service.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const client = new S3Client({
    endpoint: `http://127.0.0.1:${address.port}`,
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
