import { readFileSync } from 'node:fs';
import {
  CloudWatchLogsClient,
  DescribeLogGroupsCommand,
  FilterLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { describe, expect, inject, it } from 'vitest';
import { dynamoApiKeys } from '../../lambdas/adapters/dynamodb/api-keys.ts';
import { dynamoTenantRecords } from '../../lambdas/adapters/dynamodb/tenants.ts';
import { NAMED_ROUTES, needsKey } from '../../lambdas/api/routes.ts';
import { issueKey, revokeKey, rotateKey } from '../../lambdas/domain/tenant/issue-api-key.ts';
import { configureClient } from '../../local/emulator/emulator.ts';
import { httpClient } from '../support/api/http-client.ts';
import { openDeployedTable } from '../support/deployed/deployed-table.ts';

const service = inject('service');
const table = await openDeployedTable(service);
const keys = dynamoApiKeys(table);
const tenants = dynamoTenantRecords(table);
const ports = { keys, clock: table.clock };
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toISOString();

const used: string[] = [];

async function keyOf(tenant: string, expiresAt: string | null = null) {
  const issued = await issueKey(ports, { tenant, name: null, expiresAt });
  used.push(issued.key);
  return { ...issued, call: httpClient(service.v2_url, issued.key) };
}

const BODY = JSON.stringify({ jobs: [{ polygon: { type: 'Polygon' }, year: 2020 }] });
const UNKNOWN = '01890000-0000-7000-8000-000000000000';

/** How long the gateway caches an authorizer's result, plus an allowance for clock differences. */
const CACHE_MS = 60_000 + 1_000;

// Revoke the key first, so that the other tests run while the gateway still caches it.
const revoked = await keyOf('revoked');
const beforeRevocation = (await revoked.call('/v1/usage')).status;
await revokeKey(ports, revoked.record.id);
const revokedAt = Date.now();

describe('a key', () => {
  it('gets 401 if it has expired or was never issued', async () => {
    const { call } = await keyOf('expired', inSeconds(-1));
    const response = await call('/v1/usage');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer');
    expect((await call('/v1/usage', { key: `soc_${'A'.repeat(43)}` })).status).toBe(401);
  });

  it('can neither read nor create anything if its tenant is disabled', async () => {
    const { call } = await keyOf('disabled');
    await tenants.disable('disabled', inSeconds(0));
    for (const path of ['/v1/usage', `/v1/batch/${UNKNOWN}/status`]) {
      expect((await call(path)).status).toBe(403);
    }
    expect((await call('/v1/batch', { body: BODY })).status).toBe(403);
  });

  it('works alongside its successor after a rotation, and gets an expiry time', async () => {
    const old = await keyOf('rotated');
    const rotationOrder = { id: old.record.id, oldEnds: inSeconds(3_600), expiresAt: null };
    const rotation = await rotateKey(ports, rotationOrder);
    if (rotation.kind !== 'rotated') throw new Error(rotation.kind);
    used.push(rotation.key);
    for (const key of [old.key, rotation.key]) {
      expect((await old.call('/v1/usage', { key })).status).toBe(200);
    }
    const known = await keys.list('rotated');
    expect(known.map(({ expiresAt }) => expiresAt)).toEqual([rotationOrder.oldEnds, null]);
  });

  it('reaches only the batches and the quota of its own tenant, even while the gateway caches keys', async () => {
    const [one, other] = [await keyOf('one'), await keyOf('other')];
    const created = await one.call('/v1/batch', { body: BODY });
    const path = `/v1/batch/${(created.json as { batch_id: string }).batch_id}/status?jobs=none`;
    // By now, the gateway has cached the result for the first key; in the second round, it has cached both.
    for (const _ of [1, 2]) {
      expect((await one.call(path)).status).toBe(200);
      expect((await other.call(path)).status).toBe(404);
      expect((await other.call('/v1/usage')).json).toMatchObject({ jobs: { used: 0 } });
      expect((await one.call('/v1/usage')).json).toMatchObject({ jobs: { used: 1 } });
    }
  });
});

describe('a tenant that exceeds its request rate', () => {
  it('gets 429 from every operation that needs a key, whereas other tenants do not', async () => {
    const limits = { requestsPerMinute: 1 };
    await tenants.create({
      tenant: 'throttled',
      createdAt: inSeconds(0),
      disabledAt: null,
      limits,
    });
    const { key, call } = await keyOf('throttled');
    expect((await call('/v1/limits')).json).toMatchObject({ requests_per_minute: 1 });
    for (const { method, path, deployments } of NAMED_ROUTES.filter(needsKey)) {
      const url = path.replace('{patch_batch_idx}', '0').replaceAll(/\{\w+\}/g, UNKNOWN);
      const clients = deployments.includes('v1') ? [call, httpClient(service.v1_url, key)] : [call];
      for (const send of clients) {
        const response = await send(url, method === 'POST' ? { body: BODY } : {});
        expect(response.status, `${method} ${url}: ${response.text}`).toBe(429);
        expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
        expect(Number(response.headers.get('retry-after'))).toBeLessThanOrEqual(60);
        expect(response.json).toMatchObject({ type: expect.stringMatching(/\/throttled$/) });
      }
    }
    expect((await (await keyOf('not-throttled')).call('/v1/limits')).status).toBe(200);
    expect((await call('/health', { key: null })).status).toBe(200);
  });
});

describe('a used key', () => {
  it('stops working within a minute if it was revoked while cached', async () => {
    expect(beforeRevocation).toBe(200);
    let status: number;
    let sentAt: number;
    do {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      sentAt = Date.now();
      status = (await revoked.call('/v1/usage')).status;
    } while (status === 200 && sentAt < revokedAt + CACHE_MS);
    expect(status).toBe(401);
  });

  it('is in no log', async () => {
    const client = new CloudWatchLogsClient(
      configureClient({ endpointUrl: service.endpoint_url, region: service.region }),
    );
    const { logGroups = [] } = await client.send(new DescribeLogGroupsCommand({}));
    let lines = 0;
    for (const { logGroupName } of logGroups) {
      const { events = [] } = await client.send(new FilterLogEventsCommand({ logGroupName }));
      lines += events.length;
      const text = events.map(({ message }) => message).join('\n');
      for (const key of used) expect(text, logGroupName).not.toContain(key.slice(4));
    }
    expect(lines).toBeGreaterThan(used.length);
    const emulator = service.log_file === null ? '' : readFileSync(service.log_file, 'utf8');
    for (const key of used) expect(emulator).not.toContain(key.slice(4));
  });
});
