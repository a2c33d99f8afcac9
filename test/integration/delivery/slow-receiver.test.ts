import { describe, expect, it } from 'vitest';
import { receiveHttp, receiveTcp } from '../../support/delivery/local-receiver.ts';
import { post, readOutcome } from './posting.ts';

function makeClosing() {
  let whenClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    whenClosed = resolve;
  });
  return { closed, whenClosed: () => whenClosed() };
}

describe('a receiver that is slow or never stops sending', () => {
  const soon = { responseTimeoutMs: 150 };

  it('times out if it never responds', async () => {
    await using server = await receiveHttp(() => undefined);
    expect(await readOutcome(server.url, soon)).toMatchObject({
      verdict: 'retry',
      reason: expect.stringContaining('(0.15 s)'),
    });
  });

  it('times out if it sends its headers byte by byte', async () => {
    await using server = await receiveTcp((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nX-Slow: ');
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await post(server.url, soon)).toMatchObject({ kind: 'failed', cause: 'timeout' });
  });

  it('times out if its name server never responds', async () => {
    const resolve = () => new Promise<never>(() => undefined);
    expect(await post('http://slow.example.org/', { ...soon, resolve })).toMatchObject({
      kind: 'failed',
      cause: 'timeout',
    });
  });

  it('is disconnected if it sends endless headers', async () => {
    await using server = await receiveTcp((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${'X-Many: headers\r\n'.repeat(4_000)}`);
    });
    expect(await post(server.url)).toMatchObject({ kind: 'failed', cause: 'connection' });
  });

  it('counts as having responded, and is disconnected, if it sends an endless body', async () => {
    const { closed, whenClosed } = makeClosing();
    await using server = await receiveHttp((_request, response) => {
      const flood = setInterval(() => response.write(Buffer.alloc(64 * 1024)), 1);
      response.on('close', () => {
        clearInterval(flood);
        whenClosed();
      });
    });
    expect(await post(server.url)).toEqual({ kind: 'responded', statusCode: 200 });
    await closed;
  });
});

describe('a receiver that sends an endless body', () => {
  it('counts as having responded after its headers, and is disconnected while it still sends', async () => {
    const { closed, whenClosed } = makeClosing();
    await using server = await receiveHttp((_request, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => {
        clearInterval(drip);
        whenClosed();
      });
    });
    expect(await post(server.url)).toEqual({ kind: 'responded', statusCode: 200 });
    await closed;
  });

  it('is disconnected even if it sends its body fast', async () => {
    let sent = 0;
    const { closed, whenClosed } = makeClosing();
    await using server = await receiveHttp((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) sent += 64 * 1024;
        if (!response.destroyed) response.once('drain', more);
      };
      response.on('close', () => whenClosed());
      response.writeHead(200, { 'content-length': String(10 * 1024 ** 3) });
      more();
    });
    expect(await post(server.url)).toEqual({ kind: 'responded', statusCode: 200 });
    await closed;
    // At most the buffers of the connection's two sockets are filled.
    expect(sent).toBeLessThan(64 * 1024 ** 2);
  });
});
