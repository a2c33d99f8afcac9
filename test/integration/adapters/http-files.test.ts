import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { httpFiles } from '../../../lambdas/adapters/packs/http-files.ts';
import { type LocalReceiver, receiveHttp } from '../../support/delivery/local-receiver.ts';

const FILE = Uint8Array.from({ length: 10_000 }, (_, i) => (i * 7) % 251);

type Handler = (request: IncomingMessage, response: ServerResponse, call: number) => void;

const servers: LocalReceiver[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server[Symbol.asyncDispose]();
});

async function serve(handler: Handler) {
  let calls = 0;
  const server = await receiveHttp((request, response) => {
    calls += 1;
    handler(request, response, calls);
  });
  servers.push(server);
  return { href: `${server.origin}/slope.tif`, calls: () => calls };
}

const files = httpFiles({ firstWaitMs: 1 });
/** For servers that stall. On a busy machine, even a good response may take longer than this timeout. */
const impatient = httpFiles({ stallTimeoutMs: 300, firstWaitMs: 1 });

/** Responds with a range as RFC 9110, section 14 specifies; `changes` makes the server misbehave. */
function serveRange(
  request: IncomingMessage,
  response: ServerResponse,
  changes: {
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: (part: Uint8Array) => Uint8Array;
  } = {},
): void {
  const [, first = '0', last = '0'] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '') ?? [];
  const part = FILE.subarray(Number(first), Number(last) + 1);
  response.writeHead(206, {
    'content-range': `bytes ${first}-${last}/${FILE.length}`,
    etag: '"one"',
    ...changes.headers,
  });
  response.end(changes.body?.(part) ?? part);
}

/** A server that sends wrong ranges of the file, after a correct response to the request for its size. */
const serveWrongRange = (changes: Parameters<typeof serveRange>[2]): Handler => {
  return (request, response, call) => serveRange(request, response, call === 1 ? {} : changes);
};

describe('a file at a URL', () => {
  it('is read in ranges, after one request for its size', async () => {
    const { href, calls } = await serve((request, response) => serveRange(request, response));
    expect(await files.readSize(href)).toBe(10_000);
    expect(await files.readRange(href, 100, 50)).toEqual(FILE.slice(100, 150));
    expect(await files.readRange(href, 9_990, 100)).toEqual(FILE.slice(9_990));
    expect(await files.readRange(href, 20_000, 10)).toHaveLength(0);
    expect(calls()).toBe(3);
  });

  it('is read even if the server is busy at first', async () => {
    const { href, calls } = await serve((request, response, call) =>
      call <= 2 ? response.writeHead(503).end() : serveRange(request, response),
    );
    expect(await files.readSize(href)).toBe(10_000);
    expect(calls()).toBe(3);
  });

  it.each<[string, Handler]>([
    ['stalls', (request, response, call) => call > 1 && serveRange(request, response)],
    [
      'stalls within the body',
      (request, response, call) => {
        if (call !== 2) return serveRange(request, response);
        response.writeHead(206, { 'content-range': 'bytes 0-99/10000', etag: '"one"' });
        response.write(FILE.subarray(0, 10));
      },
    ],
    [
      'hangs up within the body',
      (request, response, call) => {
        if (call !== 2) return serveRange(request, response);
        response.writeHead(206, { 'content-range': 'bytes 0-99/10000', 'content-length': '100' });
        response.write(FILE.subarray(0, 10), () => request.socket.destroy());
      },
    ],
    [
      'ends the body early',
      (request, response, call) =>
        serveRange(request, response, call === 2 ? { body: (part) => part.subarray(0, 10) } : {}),
    ],
    [
      'hangs up',
      (request, response, call) =>
        call === 1 ? request.socket.destroy() : serveRange(request, response),
    ],
  ])('is read even if the server %s once', async (_, handler) => {
    const { href } = await serve(handler as Handler);
    expect(await impatient.readRange(href, 0, 100)).toEqual(FILE.slice(0, 100));
  });

  it('is read at the first attempt from a server that is slow but keeps sending', async () => {
    const { href, calls } = await serve((request, response, call) => {
      if (call === 1) return serveRange(request, response);
      response.writeHead(206, { 'content-range': 'bytes 0-99/10000', etag: '"one"' });
      let sent = 0;
      const timer = setInterval(() => {
        response.write(FILE.subarray(sent, sent + 10));
        sent += 10;
        if (sent < 100) return;
        clearInterval(timer);
        response.end();
      }, 100);
    });
    expect(await impatient.readRange(href, 0, 100)).toEqual(FILE.slice(0, 100));
    expect(calls()).toBe(2);
  });

  it('is read at the first attempt even if this process is busy when the response arrives', async () => {
    const { href, calls } = await serve((request, response) => {
      serveRange(request, response);
      const end = performance.now() + 600;
      while (performance.now() < end);
    });
    expect(await impatient.readSize(href)).toBe(10_000);
    expect(calls()).toBe(1);
  });
});

describe('a file at a URL that cannot be read', () => {
  it.each<[string, Handler, string]>([
    ['does not exist', (_, response) => response.writeHead(404).end(), 'no such file'],
    ['is forbidden', (_, response) => response.writeHead(403).end(), 'denied'],
    [
      'has moved',
      (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end(),
      'moved',
    ],
    ['is sent as a whole', (_, response) => response.writeHead(200).end(FILE), 'byte ranges'],
    [
      'is sent as a different range from the one requested',
      serveWrongRange({ headers: { 'content-range': 'bytes 5-104/10000' } }),
      'a different range',
    ],
    [
      'does not state its range',
      serveWrongRange({ headers: { 'content-range': 'bytes */10000' } }),
      'a different range',
    ],
    ['is longer than stated', serveWrongRange({ body: () => FILE }), 'more bytes'],
    [
      'is compressed in transit',
      serveWrongRange({ headers: { 'content-encoding': 'br' } }),
      'encoding br',
    ],
  ])('fails immediately, with its name, if it %s', async (_, handler, reason) => {
    const { href, calls } = await serve(handler);
    await expect(files.readRange(href, 0, 100)).rejects.toMatchObject({
      name: 'PackFileUnavailable',
      href,
      reason: expect.stringContaining(reason),
      transient: false,
    });
    expect(calls()).toBeLessThanOrEqual(2);
  });

  it.each<[string, Handler, string]>([
    ['is busy', (_, response) => response.writeHead(503).end(), '503'],
    ['hangs up', (request) => request.socket.destroy(), 'no response: '],
    ['ends early', serveWrongRange({ body: (part) => part.subarray(1) }), '99 of 100 bytes'],
  ])('fails after at least five requests if the server %s', async (_, handler, reason) => {
    const { href, calls } = await serve(handler);
    await expect(files.readRange(href, 0, 100)).rejects.toMatchObject({
      reason: expect.stringContaining(reason),
      transient: true,
    });
    expect(calls()).toBeGreaterThanOrEqual(5);
  });

  it.each(['169.254.169.254', '10.0.0.1', '192.168.0.1', '[fd00::1]', '[::ffff:a9fe:a9fe]'])(
    'is not requested from %s, which is not on the public internet',
    async (host) => {
      const { href, calls } = await serve((request, response) => serveRange(request, response));
      const url = new URL(href);
      const reading = httpFiles().readSize(`http://${host}:${url.port}/slope.tif`);
      await expect(reading).rejects.toMatchObject({
        reason: expect.stringContaining('is not on the public internet'),
        transient: false,
      });
      expect(calls()).toBe(0);
    },
  );

  it('is not requested from a name that resolves to a private network', async () => {
    const { href, calls } = await serve((request, response) => serveRange(request, response));
    const { port } = new URL(href);
    const addresses = ['127.0.0.1', '10.0.0.1'].map((address) => ({ address, family: 4 }) as const);
    const lookups: string[] = [];
    const named = httpFiles({
      resolve: async (host) => addresses.slice(lookups.push(host) - 1).slice(0, 1),
    });
    const name = `http://covariates.example:${port}/slope.tif`;
    expect(await named.readSize(name)).toBe(10_000);
    expect(lookups).toHaveLength(1);
    const other = `http://other.example:${port}/slope.tif`;
    await expect(named.readSize(other)).rejects.toMatchObject({
      reason: expect.stringContaining('other.example is not on the public internet'),
      transient: false,
    });
    expect(calls()).toBe(1);
  });

  it('fails if its name does not resolve', async () => {
    const resolve = async () => {
      throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
    };
    const unresolved = httpFiles({ firstWaitMs: 1, resolve }).readSize(
      'https://covariates.example/a',
    );
    await expect(unresolved).rejects.toMatchObject({ reason: 'no response: ENOTFOUND' });
  });

  it('fails with the time it waited if the server never responds', async () => {
    const { href, calls } = await serve(() => undefined);
    await expect(impatient.readRange(href, 0, 100)).rejects.toMatchObject({
      reason: expect.stringContaining('0.3 s'),
      transient: true,
    });
    expect(calls()).toBe(5);
  });

  it.each([
    ['another version', { etag: '"two"' }],
    ['a file of another size', { 'content-range': 'bytes 0-99/20000' }],
  ])('fails if it was replaced by %s between requests', async (_, headers) => {
    const { href } = await serve(serveWrongRange({ headers }));
    await expect(files.readRange(href, 0, 100)).rejects.toMatchObject({
      reason: 'it changed while it was read',
      transient: true,
    });
  });
});

describe('requests to a publisher', () => {
  const ranges = (count: number) => Array.from({ length: count }, (_, i) => i * 10);

  it('identify the service', async () => {
    const agents = new Set<string | undefined>();
    const { href } = await serve((request, response) => {
      agents.add(request.headers['user-agent']);
      serveRange(request, response);
    });
    const userAgent = 'soil-batch/1.2.3 (gis@example.com)';
    await httpFiles({ userAgent }).readRange(href, 0, 100);
    expect([...agents]).toEqual([userAgent]);
  });

  it('are limited in number at a time and per second', async () => {
    let [running, most] = [0, 0];
    const { href } = await serve(async (request, response) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 20));
      running -= 1;
      serveRange(request, response);
    });
    const limited = httpFiles({ limits: { atOnce: 3, perSecond: 200 } });
    const start = performance.now();
    await Promise.all(ranges(20).map((offset) => limited.readRange(href, offset, 10)));
    expect(most).toBe(3);
    // After the request for the size, 20 requests start at least 5 ms apart.
    expect(performance.now() - start).toBeGreaterThanOrEqual(20 * 5);
  });

  it('all wait as long as a busy server asks, even if it rejected only one of them', async () => {
    const starts: number[] = [];
    const { href } = await serve((request, response, call) => {
      starts.push(performance.now());
      if (call === 1) response.writeHead(429, { 'retry-after': '1' }).end();
      else serveRange(request, response);
    });
    const one = httpFiles({ firstWaitMs: 1, limits: { atOnce: 1, perSecond: 1_000 } });
    await Promise.all([one.readSize(href), one.readSize(`${href}?2`)]);
    const [first = 0, ...others] = starts;
    expect(others.map((start) => start - first >= 990)).toEqual([true, true]);
  });

  it.each(['3600', new Date(Date.now() + 3_600_000).toUTCString()])(
    'fail if a server asks for a wait of an hour: %s',
    async (wait) => {
      const { href, calls } = await serve((_, response) =>
        response.writeHead(503, { 'retry-after': wait }).end(),
      );
      const expected = {
        name: 'PackFileUnavailable',
        reason: expect.stringMatching(/wait for 3[56]\d\d s/),
      };
      await expect(files.readSize(href)).rejects.toMatchObject(expected);
      // Another file is not even requested from the same server.
      const fresh = httpFiles({ firstWaitMs: 1 });
      await expect(fresh.readSize(href)).rejects.toMatchObject(expected);
      await expect(fresh.readSize(`${href}?2`)).rejects.toMatchObject(expected);
      expect(calls()).toBe(2);
    },
  );

  it("end when the invocation's time is up, and none starts afterwards", async () => {
    const { href, calls } = await serve(() => undefined);
    const end = performance.now() + 300;
    const reading = httpFiles({ remainingMs: () => end - performance.now() });
    await expect(reading.readSize(href)).rejects.toMatchObject({ name: 'PackFileUnavailable' });
    await expect(reading.readSize(href)).rejects.toMatchObject({
      reason: 'no time is left to wait for the server',
    });
    expect(calls()).toBe(1);
  });
});
