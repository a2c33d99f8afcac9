import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { runExample } from '../../local/demo/run-example.ts';
import { httpClient } from '../support/api/http-client.ts';
import { runForJson } from './operator-command.ts';

const service = inject('service');

describe('`npm run demo`', () => {
  it('ends with a verified webhook, and a raster and an image of each completed job', async () => {
    const lines: string[] = [];
    const folder = mkdtempSync(join(tmpdir(), 'demo-'));
    const run = await runExample(service, { print: (line) => lines.push(line), folder });
    expect(run.status).toBe('partial');
    expect(lines.join('\n')).toMatch(/webhook .*\(\d+ bytes\).*\bvalid/);
    expect(run.results.map(({ tif, png }) => [tif, png].map((file) => file !== null))).toEqual([
      [true, true],
      [true, true],
      [false, false],
    ]);
    for (const { tif, png } of run.results.slice(0, 2)) {
      expect(readFileSync(String(tif)).subarray(0, 2).toString()).toBe('II');
      expect(readFileSync(String(png)).subarray(1, 4).toString()).toBe('PNG');
    }
  });
});

describe('`npm run keys`', () => {
  const keys = (...args: readonly string[]) => runForJson('keys', ...args);
  const statusWith = async (key: string) => {
    const call = httpClient(service.v2_url, key);
    return (await call('/v1/batch/01890000-0000-7000-8000-000000000000/status')).status;
  };

  it('creates a key that works until it is revoked, with the documented command', async () => {
    const [, args = ''] =
      /^npm run keys -- (create .*) --stage dev$/m.exec(readFileSync('docs/aws.md', 'utf8')) ?? [];
    const created = await keys(...args.split(' '));
    expect(await statusWith(created.key)).toBe(404);

    // Use a new key, because the gateway caches the authorizer's result for a minute.
    const unused = await keys(...args.split(' '));
    for (const { id } of [created, unused]) await keys('revoke', '--id', id);
    expect(await statusWith(unused.key)).toBe(401);
    const listed = await keys('list', '--tenant', created.tenant);
    expect(listed.keys.map(({ state }: { state: string }) => state)).toEqual([
      'revoked',
      'revoked',
    ]);
  });
});
