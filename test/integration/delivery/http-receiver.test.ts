import { describe, expect, it } from 'vitest';
import type { ResolvedAddress } from '../../../lambdas/adapters/webhook/connect.ts';
import {
  createCertificate,
  type Received,
  readReceived,
  receiveHttp,
  receiveHttps,
  receiveTcp,
} from '../../support/delivery/local-receiver.ts';
import { BODY, PUBLIC, post, readOutcome } from './posting.ts';

describe('a delivery', () => {
  it('posts exactly the given bytes and headers to the full URL', async () => {
    const requests: Received[] = [];
    await using server = await receiveHttp(async (request, response) => {
      requests.push(await readReceived(request));
      response.end('thanks');
    });
    expect(await post(server.url)).toEqual({ kind: 'responded', statusCode: 200 });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ method: 'POST', path: '/hook?of=client', body: BODY });
    expect(requests[0]?.headers).toMatchObject({
      host: `127.0.0.1:${server.port}`,
      'user-agent': 'test/1',
      'x-service-event': 'batch.completed',
      'content-length': String(BODY.byteLength),
    });
  });

  it.each([
    [200, 'acknowledged'],
    [204, 'acknowledged'],
    [302, 'permanent'],
    [404, 'permanent'],
    [413, 'permanent'],
    [429, 'permanent'],
    [500, 'retry'],
    [503, 'retry'],
  ])('is classified by its response: %i is %s', async (statusCode, verdict) => {
    await using server = await receiveHttp((_request, response) => {
      response.writeHead(statusCode, { location: '/elsewhere' }).end();
    });
    expect(await readOutcome(server.url)).toEqual({
      verdict,
      status_code: statusCode,
      reason: expect.stringContaining(String(statusCode)),
    });
  });

  it('does not follow a redirect', async () => {
    const paths: string[] = [];
    await using server = await receiveHttp((request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(307, { location: '/elsewhere' }).end();
    });
    await post(server.url);
    expect(paths).toEqual(['/hook?of=client']);
  });
});

describe('an unreachable receiver', () => {
  it('is retried if it refuses connections', async () => {
    const server = await receiveHttp(() => undefined);
    await server[Symbol.asyncDispose]();
    expect(await readOutcome(server.url)).toEqual({
      verdict: 'retry',
      status_code: null,
      reason: expect.stringContaining('(ECONNREFUSED)'),
    });
  });

  it('is retried if it closes the connection', async () => {
    await using server = await receiveTcp((socket) => socket.destroy());
    expect(await post(server.url)).toMatchObject({ kind: 'failed', cause: 'connection' });
  });

  it('is retried if its name cannot be resolved', async () => {
    const resolve = async () => {
      throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
    };
    expect(await readOutcome('http://gone.example.org/', { resolve })).toMatchObject({
      verdict: 'retry',
      reason: expect.stringContaining('(ENOTFOUND)'),
    });
  });

  it('is retried if its certificate is not trusted', async () => {
    const certificate = createCertificate('receiver.example.org');
    await using server = await receiveHttps(certificate, (_request, response) => response.end());
    expect(await readOutcome(server.url)).toMatchObject({
      verdict: 'retry',
      reason: expect.stringContaining('no trusted TLS connection'),
    });
  });

  it('is retried if it does not speak HTTP', async () => {
    await using server = await receiveTcp((socket) => socket.end('220 mail.example.org\r\n'));
    expect(await readOutcome(server.url)).toMatchObject({ verdict: 'retry' });
  });

  it.each(['000', '099'])(
    'is retried if it responds with %s, which is not a valid status',
    async (status) => {
      await using server = await receiveTcp((socket) => socket.end(`HTTP/1.1 ${status} x\r\n\r\n`));
      expect(await readOutcome(server.url)).toEqual({
        verdict: 'retry',
        status_code: null,
        reason: `the connection to the receiver failed (status ${Number(status)}): temporary`,
      });
    },
  );

  it('is retried and disconnected if it switches protocols', async () => {
    let whenClosed: () => void = () => undefined;
    const closed = new Promise<void>((resolve) => {
      whenClosed = resolve;
    });
    await using server = await receiveTcp((socket) => {
      socket.resume().on('close', () => whenClosed());
      socket.write('HTTP/1.1 101 x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
    });
    expect(await readOutcome(server.url)).toMatchObject({ verdict: 'retry', status_code: 101 });
    await closed;
  });
});

describe('the name of a receiver', () => {
  it('is resolved once, and the connection goes to the checked address', async () => {
    const looked: string[] = [];
    const resolve = async (host: string): Promise<readonly ResolvedAddress[]> => {
      looked.push(host);
      return [{ address: '127.0.0.1', family: 4 }];
    };
    const hosts: (string | undefined)[] = [];
    await using server = await receiveHttp((request, response) => {
      hosts.push(request.headers.host);
      response.end();
    });
    const url = `http://receiver.example.org:${server.port}/`;
    expect(await post(url, { resolve })).toEqual({ kind: 'responded', statusCode: 200 });
    expect(looked).toEqual(['receiver.example.org']);
    expect(hosts).toEqual([`receiver.example.org:${server.port}`]);
  });

  it('must match the certificate, although the connection goes to an IP address', async () => {
    const certificate = createCertificate('receiver.example.org');
    const options = {
      trust: certificate.cert,
      resolve: async (): Promise<readonly ResolvedAddress[]> => [
        { address: '127.0.0.1', family: 4 },
      ],
    };
    await using server = await receiveHttps(certificate, (_request, response) => response.end());
    const at = (host: string) => post(`https://${host}:${server.port}/`, options);
    expect(await at('receiver.example.org')).toEqual({ kind: 'responded', statusCode: 200 });
    expect(await at('other.example.org')).toMatchObject({ kind: 'failed', cause: 'tls' });
  });

  it('is sent in the TLS handshake without its final dot', async () => {
    const certificate = createCertificate('receiver.example.org');
    const names: string[] = [];
    await using server = await receiveHttps(certificate, (_request, response) => response.end(), {
      onServerName: (name) => names.push(name),
    });
    const url = `https://receiver.example.org.:${server.port}/`;
    const resolve = async () => [{ address: '127.0.0.1', family: 4 } as const];
    const outcome = await post(url, { trust: certificate.cert, resolve });
    expect([outcome, names]).toEqual([
      { kind: 'responded', statusCode: 200 },
      ['receiver.example.org'],
    ]);
  });

  it('may be an IP address, which the certificate must match', async () => {
    const [right, wrong] = [createCertificate('127.0.0.1'), createCertificate('127.0.0.2')];
    await using server = await receiveHttps(right, (_request, response) => response.end());
    await using other = await receiveHttps(wrong, (_request, response) => response.end());
    const trust = right.cert + wrong.cert;
    expect(await post(server.url, { trust })).toEqual({ kind: 'responded', statusCode: 200 });
    expect(await post(other.url, { trust })).toMatchObject({ kind: 'failed', cause: 'tls' });
  });

  it.each([
    ['a private address', [{ address: '10.0.0.8', family: 4 }]],
    ['the metadata service', [{ address: '169.254.169.254', family: 4 }]],
    ['an IPv4-mapped private address', [{ address: '::ffff:10.0.0.8', family: 6 }]],
    [
      'a public and a private address',
      [
        { address: '93.184.215.14', family: 4 },
        { address: '192.168.0.1', family: 4 },
      ],
    ],
  ] satisfies [string, ResolvedAddress[]][])(
    'is rejected permanently before sending if it resolves to %s',
    async (_case, addresses) => {
      const outcome = await readOutcome('https://rebinding.example.org/', {
        policy: PUBLIC,
        resolve: async () => addresses,
      });
      expect(outcome).toMatchObject({ verdict: 'permanent', status_code: null });
      expect(outcome.reason).toMatch(/^not sent: the address .* public internet$/);
    },
  );

  it('is rejected without a connection if it is a private IP address', async () => {
    let connections = 0;
    await using server = await receiveTcp(() => {
      connections += 1;
    });
    expect(await post(server.url, { policy: PUBLIC })).toMatchObject({ kind: 'refused' });
    expect(connections).toBe(0);
  });
});
