import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as spec from '../../support/api/spec-schemas.ts';
import { checkOneEvent, webhookReceiver } from '../../support/delivery/webhook-receiver.ts';
import { obtainProgram } from '../../support/program.ts';

const PYTHON = '.local/venv/bin/python';
const SECRET = 'a shared secret';

let server: ChildProcess;
let url = '';
let key = '';

beforeAll(async () => {
  const args = [await obtainProgram('local/dev.ts'), '--port', '0', '--json'];
  server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  if (server.stdout === null) throw new Error('the server has no output');
  const [line] = await once(createInterface(server.stdout), 'line');
  ({ url, api_key: key } = JSON.parse(line));
});

afterAll(async () => {
  server.kill();
  await once(server, 'exit');
});

async function call(path: string, init: RequestInit = {}) {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' };
  const response = await fetch(`${url}${path}`, { headers, ...init });
  return { status: response.status, headers: response.headers, json: await response.json() };
}

async function waitUntilFinished(batchId: string) {
  for (;;) {
    const { json } = await call(`/v1/batch/${batchId}/status`);
    const batch = spec.batch.parse(json);
    if (batch.status !== 'pending' && batch.status !== 'processing') return batch;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

describe('the development server', () => {
  it('says that it is not a deployment', async () => {
    const { json } = await call('/health');
    expect(json).toMatchObject({ status: 'ok', version: expect.stringMatching(/\+in-memory$/) });
  });

  it('redirects from its URL to the reference', async () => {
    const { status, headers } = await fetch(`${url}/`, { redirect: 'manual' });
    expect(status).toBe(302);
    expect(headers.get('Location')).toBe(`${url}/docs`);
  });

  it('runs the example batch up to a raster that GDAL reads in ranges, and the webhook', async () => {
    await using receiver = await webhookReceiver();
    const example = JSON.parse(readFileSync('examples/meuse-batch.json', 'utf8'));
    const webhook = { webhook_url: receiver.url, webhook_secret: SECRET };
    const body = JSON.stringify({ ...example, ...webhook });
    const created = await call('/v1/batch', { method: 'POST', body });
    expect(created.status).toBe(202);
    const batch = await waitUntilFinished(spec.created.parse(created.json).batch_id);
    expect(batch.jobs.map(({ status }) => status)).toEqual(['completed', 'completed', 'failed']);

    const check = ['test/e2e/check_result.py', String(batch.jobs[0]?.signed_cog_url)];
    const checked = await promisify(execFile)(PYTHON, [...check, 'models/meuse-soc']);
    const report = JSON.parse(checked.stdout);
    expect(report).toMatchObject({ crs: 28992, cog: { valid: true, errors: [], warnings: [] } });

    const delivery = await receiver.first(batch.batch_id);
    expect(checkOneEvent([delivery], SECRET).batch_id).toBe(batch.batch_id);
  });

  it('serves ranges of a result, but nothing beyond its end', async () => {
    const polygon = {
      type: 'Polygon',
      coordinates: [
        [
          [5.735, 50.967],
          [5.737, 50.967],
          [5.737, 50.969],
          [5.735, 50.967],
        ],
      ],
    };
    const body = JSON.stringify({ jobs: [{ polygon, year: 2024 }] });
    const created = await call('/v1/batch', { method: 'POST', body });
    const batch = await waitUntilFinished(spec.created.parse(created.json).batch_id);
    const result = String(batch.jobs[0]?.signed_cog_url);
    const whole = Buffer.from(await (await fetch(result)).arrayBuffer());
    const ranged = async (range: string) => fetch(result, { headers: { Range: range } });

    const first = await ranged('bytes=0-3');
    expect(first.status).toBe(206);
    expect(first.headers.get('Content-Range')).toBe(`bytes 0-3/${whole.length}`);
    expect(Buffer.from(await first.arrayBuffer())).toEqual(whole.subarray(0, 4));
    const last = await ranged('bytes=-4');
    expect(Buffer.from(await last.arrayBuffer())).toEqual(whole.subarray(-4));
    expect((await ranged(`bytes=${whole.length}-`)).status).toBe(416);
    expect((await fetch(result.replace('.tif?', '.tif.tif?'))).status).toBe(404);
  });

  it.each([
    ['without a key', '/v1/usage', { headers: {} }, 401],
    ['with an unknown key', '/v1/usage', { headers: { Authorization: 'Bearer soc_x' } }, 401],
    ['for an unknown path', '/v1/nothing', {}, 404],
    ['for a path that begins with two slashes', '//example.org/docs', {}, 404],
    ['with a method that is not allowed', '/v1/usage', { method: 'DELETE' }, 405],
    ['with a body that is not JSON', '/v1/batch', { method: 'POST', body: '{' }, 400],
    ['for an unknown batch', `/v1/batch/${'0'.repeat(8)}-x/status`, {}, 404],
  ])('responds like the gateway to a request %s', async (_, path, init, status) => {
    const response = await call(path, init);
    expect(response.status).toBe(status);
    expect(response.headers.get('Content-Type')).toBe('application/problem+json');
  });

  it.each(['/v1/batch', '/v1/usage', '/v1/limits', '/v1/models', '/openapi.json'])(
    'has the operation GET %s',
    async (path) => {
      expect((await call(path)).status).toBe(200);
    },
  );

  it('listens only on 127.0.0.1', async () => {
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:/);
    await expect(fetch(`${url.replace('127.0.0.1', '127.0.0.2')}/health`)).rejects.toThrow();
  });
});
