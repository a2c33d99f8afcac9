import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, describe, expect, it } from 'vitest';
import { s3Files } from '../../../lambdas/adapters/packs/s3-files.ts';
import { receiveHttp } from '../../support/delivery/local-receiver.ts';

/** Responds to HEAD with the status that the key names. */
const service = await receiveHttp((request, response) => {
  response.writeHead(Number(request.url?.split('/').at(-1))).end();
});
afterAll(() => service[Symbol.asyncDispose]());

function filesAt(endpoint: string) {
  const credentials = { accessKeyId: 'AKIA', secretAccessKey: 'a-secret' };
  return s3Files(new S3Client({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 }), 1);
}

const sizeOf = (key: number) => filesAt(service.origin).readSize(`s3://bucket/${key}`);

describe('an S3 object that cannot be read', () => {
  it.each([
    [404, 'no such object', false],
    [403, 'denied', false],
    [503, 'S3 responded', true],
  ])('is reported for status %d', async (status, reason, transient) => {
    await expect(sizeOf(status)).rejects.toMatchObject({
      name: 'PackFileUnavailable',
      reason: expect.stringContaining(reason),
      transient,
    });
  });
});

describe('an object whose body is truncated', () => {
  async function startTruncating(times: number) {
    let asked = 0;
    const server = await receiveHttp((request, response) => {
      const headers = { etag: '"one"', 'content-length': 100 };
      if (request.method === 'HEAD') {
        response.writeHead(200, headers).end();
        return;
      }
      asked += 1;
      response.writeHead(206, headers);
      if (asked > times) response.end(Buffer.alloc(100, 7));
      else response.write(Buffer.alloc(10), () => request.socket.destroy());
    });
    return { server, asked: () => asked };
  }

  it('is requested again', async () => {
    const { server, asked } = await startTruncating(2);
    await using _ = server;
    const bytes = await filesAt(server.origin).readRange('s3://bucket/key', 0, 100);
    expect(bytes).toEqual(new Uint8Array(100).fill(7));
    expect(asked()).toBe(3);
  });

  it('fails after five attempts, as a transient failure', async () => {
    const { server, asked } = await startTruncating(9);
    await using _ = server;
    await expect(filesAt(server.origin).readRange('s3://bucket/key', 0, 100)).rejects.toMatchObject(
      {
        reason: expect.stringContaining('truncated'),
        transient: true,
      },
    );
    expect(asked()).toBe(5);
  });
});
