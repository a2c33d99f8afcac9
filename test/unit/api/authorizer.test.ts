import type { APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { scanKind } from '../../../lambdas/adapters/dynamodb/operator-scan.ts';
import { dynamoStores } from '../../../lambdas/adapters/dynamodb/stores.ts';
import { createAuthorizer } from '../../../lambdas/api/functions/authorizer.ts';
import { issueKey, revokeKey } from '../../../lambdas/domain/tenant/issue-api-key.ts';
import { inMemoryTable } from '../../../local/in-memory/dynamodb/table.ts';

const NOW = new Date('2026-03-04T05:06:07.089Z');

async function makeService(expiresAt: string | null = null) {
  const time = { now: NOW };
  const table = inMemoryTable(() => time.now);
  const { keys, tenants } = dynamoStores(table);
  const ports = {
    keys,
    tenants,
    clock: () => time.now,
  };
  const { key, record } = await issueKey(ports, { tenant: 'alpha', name: null, expiresAt });
  const lines: object[] = [];
  const authorize = createAuthorizer(
    () => ports,
    (level, event, members) => lines.push({ level, event, ...members }),
  );
  return { authorize, ports, key, record, tenants, time, table, lines };
}

function event(headers: Readonly<Record<string, readonly string[]>>) {
  const made = {
    type: 'REQUEST',
    requestContext: { requestId: 'r-1' },
    methodArn: 'arn:aws:execute-api:eu-central-1:123456789012:abc123/live/GET/v1/batch/x/status',
    headers: Object.fromEntries(Object.entries(headers).map(([name, all]) => [name, all.at(-1)])),
    multiValueHeaders: headers,
  };
  return made as unknown as APIGatewayRequestAuthorizerEvent;
}

const makeKeyEvent = (key: string) => event({ Authorization: [`Bearer ${key}`] });

describe('a valid key', () => {
  it('gives its tenant access to the whole API', async () => {
    const { authorize, key, record } = await makeService();
    expect(await authorize(makeKeyEvent(key))).toEqual({
      principalId: 'alpha',
      policyDocument: {
        Version: '2012-10-17',
        Statement: [
          {
            Action: 'execute-api:Invoke',
            Effect: 'Allow',
            Resource: 'arn:aws:execute-api:eu-central-1:123456789012:abc123/live/*',
          },
        ],
      },
      context: { tenant: 'alpha', key_id: record.id, requests_per_minute: 600 },
    });
  });

  it('is accepted whether the header’s name and scheme are in upper or lower case', async () => {
    const { authorize, key } = await makeService();
    for (const made of [
      event({ authorization: [`bearer ${key}`] }),
      event({ AUTHORIZATION: [`BEARER  ${key} `] }),
    ]) {
      expect((await authorize(made)).principalId).toBe('alpha');
    }
  });

  it("gives the operations its tenant's rate limit", async () => {
    const { authorize, key, record, tenants } = await makeService();
    const createdAt = NOW.toISOString();
    const limits = { requestsPerMinute: 7 };
    await tenants.create({ tenant: 'alpha', createdAt, disabledAt: null, limits });
    expect((await authorize(makeKeyEvent(key))).context).toEqual({
      tenant: 'alpha',
      key_id: record.id,
      requests_per_minute: 7,
    });
  });

  it('is denied while its tenant is disabled', async () => {
    const { authorize, key, tenants } = await makeService();
    await tenants.disable('alpha', NOW.toISOString());
    const { policyDocument } = await authorize(makeKeyEvent(key));
    expect(policyDocument.Statement).toMatchObject([{ Effect: 'Deny' }]);
  });
});

describe('the authorizer', () => {
  it.each([
    ['no header', {}],
    ['another scheme', { Authorization: ['Basic YTpi'] }],
    ['no token', { Authorization: ['Bearer '] }],
    ['two tokens', { Authorization: ['Bearer a b'] }],
    ['an unknown key', { Authorization: [`Bearer soc_${'a'.repeat(43)}`] }],
    ['a key in another format', { Authorization: ['Bearer hello'] }],
  ])('rejects a request with %s', async (_, headers) => {
    const { authorize } = await makeService();
    await expect(authorize(event(headers))).rejects.toThrow(/^Unauthorized$/);
  });

  it('rejects a request with two Authorization headers, even if both have the valid key', async () => {
    const { authorize, key } = await makeService();
    const twice = event({ Authorization: [`Bearer ${key}`, `Bearer ${key}`] });
    await expect(authorize(twice)).rejects.toThrow(/^Unauthorized$/);
  });

  it('rejects a key from the moment it expires', async () => {
    const { authorize, key, time } = await makeService('2026-03-05T00:00:00.000Z');
    time.now = new Date('2026-03-04T23:59:59.999Z');
    expect((await authorize(makeKeyEvent(key))).principalId).toBe('alpha');
    time.now = new Date('2026-03-05T00:00:00.000Z');
    await expect(authorize(makeKeyEvent(key))).rejects.toThrow(/^Unauthorized$/);
  });

  it('rejects a revoked key', async () => {
    const { authorize, key, record, ports } = await makeService();
    await revokeKey(ports, record.id);
    await expect(authorize(makeKeyEvent(key))).rejects.toThrow(/^Unauthorized$/);
  });
});

describe('failures of the authorizer', () => {
  it('do not include invalid keys, for which nothing is logged', async () => {
    const { authorize, lines } = await makeService();
    const bad = Array.from({ length: 100 }, (_, n) => `soc_${String(n).padStart(43, 'a')}`);
    for (const key of [...bad, 'hello', '']) {
      await expect(authorize(makeKeyEvent(key))).rejects.toThrow(/^Unauthorized$/);
    }
    expect(lines).toEqual([]);
  });

  it('are each logged once, without the key, and rethrown', async () => {
    const { authorize, lines, key, ports } = await makeService();
    ports.keys.find = () => Promise.reject(new Error('the table is gone'));
    await expect(authorize(makeKeyEvent(key))).rejects.toThrow(/^the table is gone$/);
    expect(lines).toEqual([
      {
        level: 'error',
        event: 'authorizer',
        request_id: 'r-1',
        outcome: 'threw',
        duration_ms: expect.any(Number),
        fault: expect.objectContaining({ message: 'the table is gone' }),
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain(key);
  });

  it('include errors while it is built, which are logged', async () => {
    const lines: object[] = [];
    const authorize = createAuthorizer(
      () => {
        throw new Error('TABLE_NAME is not set');
      },
      (level, event) => lines.push({ level, event }),
    );
    await expect(authorize(makeKeyEvent('hello'))).rejects.toThrow(/^TABLE_NAME/);
    expect(lines).toEqual([{ level: 'error', event: 'authorizer' }]);
  });
});

describe('an issued key', () => {
  it('is not stored in plain text', async () => {
    const { key, table } = await makeService();
    expect(key).toMatch(/^soc_[A-Za-z0-9_-]{43}$/);
    const stored = await scanKind(table, 'KEY#', 'KEY');
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(key.slice(4));
  });
});
