import { describe, expect, it } from 'vitest';
import {
  chooseFailure,
  MAX_ADDRESSES,
  type ResolvedAddress,
} from '../../../lambdas/adapters/webhook/connect.ts';
import { classifyExchange } from '../../../lambdas/domain/delivery/outcome.ts';
import {
  createCertificate,
  type Received,
  readReceived,
  receiveHttp,
  receiveHttps,
  receiveTcp,
} from '../../support/delivery/local-receiver.ts';
import { BODY, PUBLIC, post, readOutcome } from './posting.ts';

const NAME = 'receiver.example.org';

function makeResolver(...addresses: readonly string[]) {
  return async (): Promise<readonly ResolvedAddress[]> =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

async function startCounting(address: string, port = 0, statusCode = 200) {
  const requests: Received[] = [];
  const server = await receiveHttp(
    async (request, response) => {
      requests.push(await readReceived(request));
      response.writeHead(statusCode).end();
    },
    { address, port },
  );
  return { ...server, requests };
}

const at = (port: number, scheme = 'http') => `${scheme}://${NAME}:${port}/hook`;
const ACCEPTED = { kind: 'responded', statusCode: 200 };

describe('a receiver with several addresses', () => {
  it('is first contacted over IPv4, even if its IPv6 address is listed first', async () => {
    await using four = await startCounting('127.0.0.1');
    await using six = await startCounting('::1', four.port);
    expect(await post(at(four.port), { resolve: makeResolver('::1', '127.0.0.1') })).toEqual(
      ACCEPTED,
    );
    expect([four.requests.length, six.requests.length]).toEqual([1, 0]);
  });

  it.each([
    ['IPv4', '127.0.0.2'],
    ['IPv6', '::1'],
  ])('is reached over %s if its first address refuses connections', async (_family, open) => {
    await using server = await startCounting(open);
    const resolve = makeResolver('127.0.0.1', open);
    expect(await post(at(server.port), { resolve })).toEqual(ACCEPTED);
    expect(server.requests).toMatchObject([
      { headers: { host: `${NAME}:${server.port}` }, body: BODY },
    ]);
  });

  it('is reached at the address whose certificate matches the name', async () => {
    const [wrong, right] = [createCertificate('other.example.org'), createCertificate(NAME)];
    const names: unknown[] = [];
    await using first = await receiveHttps(wrong, (_request, response) => response.end(), {
      onServerName: (name) => names.push(name),
    });
    await using second = await receiveHttps(right, (_request, response) => response.end(), {
      address: '127.0.0.2',
      port: first.port,
      onServerName: (name) => names.push(name),
    });
    const options = { trust: right.cert, resolve: makeResolver('127.0.0.1', '127.0.0.2') };
    expect(await post(at(second.port, 'https'), options)).toEqual(ACCEPTED);
    expect(names).toEqual([NAME, NAME]);
  });

  it('is reached at another address if the first accepts the connection and then stalls', async () => {
    const certificate = createCertificate(NAME);
    await using silent = await receiveTcp(() => undefined);
    await using server = await receiveHttps(certificate, (_request, response) => response.end(), {
      address: '127.0.0.2',
      port: silent.port,
    });
    const options = {
      trust: certificate.cert,
      resolve: makeResolver('127.0.0.1', '127.0.0.2'),
      responseTimeoutMs: 6_000,
    };
    expect(await post(at(server.port, 'https'), options)).toEqual(ACCEPTED);
  });

  it('has a single timeout for all addresses', async () => {
    await using first = await receiveTcp(() => undefined);
    await using _second = await receiveTcp(() => undefined, {
      address: '127.0.0.2',
      port: first.port,
    });
    const outcome = await readOutcome(at(first.port, 'https'), {
      resolve: makeResolver('127.0.0.1', '127.0.0.2'),
      responseTimeoutMs: 200,
    });
    expect(outcome.reason).toContain('(0.2 s)');
  });

  it('fails if all addresses fail, for the reason of the preferred one', async () => {
    const certificate = createCertificate('other.example.org');
    await using server = await receiveHttps(certificate, (_request, response) => response.end());
    const outcome = await readOutcome(at(server.port, 'https'), {
      trust: certificate.cert,
      resolve: makeResolver('::1', '127.0.0.1', '127.0.0.2'),
    });
    expect(outcome.verdict).toBe('retry');
    expect(outcome.reason).toBe(
      'no trusted TLS connection to the receiver (ERR_TLS_CERT_ALTNAME_INVALID, ECONNREFUSED): temporary',
    );
  });

  it('cannot be used to scan a network, because only a bounded number of addresses is tried', async () => {
    const addresses = Array.from({ length: MAX_ADDRESSES + 1 }, (_, i) => `127.0.0.${i + 2}`);
    await using server = await startCounting(addresses.at(-1) ?? '');
    const tried = (listed: readonly string[]) =>
      post(at(server.port), { resolve: makeResolver(...listed) });
    expect(await tried(addresses)).toMatchObject({ kind: 'failed', detail: 'ECONNREFUSED' });
    expect(server.requests).toEqual([]);
    expect(await tried(addresses.slice(1))).toEqual(ACCEPTED);
  });
});

describe('a request that was sent to an address', () => {
  it.each([301, 404, 500, 503])(
    'is not sent to another address after a response of %i',
    async (statusCode) => {
      await using first = await startCounting('127.0.0.1', 0, statusCode);
      await using second = await startCounting('127.0.0.2', first.port);
      const resolve = makeResolver('127.0.0.1', '127.0.0.2');
      expect(await post(at(first.port), { resolve })).toEqual({ kind: 'responded', statusCode });
      expect([first.requests.length, second.requests.length]).toEqual([1, 0]);
    },
  );

  it('is not sent to another address if no response comes', async () => {
    await using first = await receiveTcp((socket) => socket.once('data', () => socket.destroy()));
    await using second = await startCounting('127.0.0.2', first.port);
    const resolve = makeResolver('127.0.0.1', '127.0.0.2');
    expect(await post(at(first.port), { resolve })).toMatchObject({
      kind: 'failed',
      cause: 'connection',
    });
    expect(second.requests).toEqual([]);
  });
});

describe('a receiver with one forbidden address', () => {
  it.each(['169.254.169.254', 'fe80::1', '::ffff:127.0.0.1'])(
    'receives nothing at its other addresses: %s',
    async (forbidden) => {
      await using server = await startCounting('127.0.0.1');
      const resolve = makeResolver('127.0.0.1', '::1', forbidden);
      expect(await post(at(server.port), { resolve })).toMatchObject({ kind: 'refused' });
      expect(server.requests).toEqual([]);
    },
  );

  it('has all its addresses checked, including those that would not be tried', async () => {
    const open = Array.from({ length: MAX_ADDRESSES + 1 }, (_, i) => `93.184.215.${i + 1}`);
    const options = { policy: PUBLIC, resolve: makeResolver(...open, '10.0.0.8') };
    expect(await post('https://rebinding.example.org/', options)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('10.0.0.8'),
    });
  });
});

describe('a receiver with IPv6 addresses', () => {
  const failing = (code: string) => ({ error: Object.assign(new Error('connect'), { code }) });

  it.each(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT', 'ETIMEDOUT'])(
    'fails with %s and a note that AWS connects only over IPv4, if it has no IPv4 address',
    (code) => {
      expect(classifyExchange(chooseFailure([{ family: 6, ...failing(code) }]))).toEqual({
        verdict: 'retry',
        status_code: null,
        reason: `the receiver has only IPv6 addresses, and the service on AWS connects over IPv4 only (${code}): temporary`,
      });
    },
  );

  it('fails with the error code if it refuses connections', async () => {
    const server = await startCounting('::1');
    await server[Symbol.asyncDispose]();
    expect(await post(at(server.port), { resolve: makeResolver('::1') })).toMatchObject({
      cause: 'connection',
      detail: 'ECONNREFUSED',
    });
  });

  it('fails with the error codes of all addresses if it also has an IPv4 address', () => {
    const failures = [
      { family: 4, ...failing('ECONNREFUSED') },
      { family: 6, ...failing('ENETUNREACH') },
    ] as const;
    expect(chooseFailure(failures)).toEqual({
      kind: 'failed',
      cause: 'connection',
      detail: 'ECONNREFUSED, ENETUNREACH',
    });
  });

  it('is reached if the machine has IPv6', async () => {
    await using server = await startCounting('::1');
    expect(await post(server.url)).toEqual(ACCEPTED);
  });
});
