import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BatchList, BatchStatus } from '../../../client/src/index.ts';
import {
  type CliService,
  cli,
  cliHere,
  finished,
  startCli,
  startCliService,
} from '../../support/cli-service.ts';
import { writeFields } from './field-files.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cli-interrupted-'));
let service: CliService;

beforeAll(async () => {
  service = await startCliService();
  writeFields(path.join(folder, 'fields.geojson'), [{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
});

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true });
});

const commandLine = (out: string) =>
  ['run', 'fields.geojson', '--year', '2021', '--name-field', 'id', '--out', out, '--yes'] as const;
const call = () => ({ service, cwd: folder });

/** Runs the command until it sends a request, and kills it then: no response reaches it. */
async function killedAt(pattern: RegExp, out: string): Promise<void> {
  const child = startCli(commandLine(out), call());
  const kill = ({ method, url }: IncomingMessage) => {
    if (pattern.test(`${method} ${url}`)) child.kill('SIGKILL');
  };
  service.server.prependListener('request', kill);
  const { code } = await finished(child);
  service.server.off('request', kill);
  expect(code, `was not killed at ${pattern}`).toBeNull();
}

async function get<Body>(target: string): Promise<Body> {
  const headers = { Authorization: `Bearer ${service.apiKey}` };
  return (await fetch(`${service.url}${target}`, { headers })).json() as Promise<Body>;
}

async function batchIds(): Promise<readonly string[]> {
  const { batches } = await get<BatchList>('/v1/batch?limit=100');
  return batches.map(({ batch_id }) => batch_id);
}

const digestOf = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

function rastersIn(out: string): Readonly<Record<string, string>> {
  const names = readdirSync(path.join(folder, out)).filter((name) => name.endsWith('.tif'));
  return Object.fromEntries(
    names.map((name) => [name, digestOf(readFileSync(path.join(folder, out, name)))]),
  );
}

/** What these files must hold. */
async function resultsOf(batchId: string | undefined): Promise<Readonly<Record<string, string>>> {
  const { jobs } = await get<BatchStatus>(`/v1/batch/${batchId}/status`);
  const results = jobs.map(async ({ name, signed_cog_url }) => {
    const response = await fetch(signed_cog_url ?? '');
    return [`${name}_2021.tif`, digestOf(new Uint8Array(await response.arrayBuffer()))];
  });
  return Object.fromEntries(await Promise.all(results));
}

async function expectComplete(out: string, before: readonly string[]): Promise<void> {
  const added = (await batchIds()).filter((id) => !before.includes(id));
  expect(added).toHaveLength(1);
  const results = await resultsOf(added[0]);
  expect(Object.keys(results)).toHaveLength(3);
  expect(rastersIn(out)).toEqual(results);
  const all = readdirSync(path.join(folder, out), { recursive: true, encoding: 'utf8' });
  expect(all.filter((name) => /part|lock|request/.test(name))).toEqual([]);
}

describe('a run that is killed', () => {
  it('at each kind of request, ends with one batch and its whole files', async () => {
    const before = await batchIds();
    await killedAt(/^POST \/v1\/batch$/, 'killed');
    await killedAt(/^GET .*jobs=none/, 'killed');
    await killedAt(/^GET .*jobs=all/, 'killed');
    await killedAt(/^GET \/results/, 'killed');
    expect((await cli(commandLine('killed'), call())).code).toBe(0);
    await expectComplete('killed', before);
  });

  it('at any moment, ends with one batch and the same files', async () => {
    const before = await batchIds();
    const ends: (number | null)[] = [];
    for (let end: number | null = null; end !== 0 && ends.length < 4; ends.push(end)) {
      const child = startCli(commandLine('random'), call());
      const ended = finished(child);
      await Promise.race([ended, sleep(300 + Math.random() * 1_200)]);
      child.kill('SIGKILL');
      end = (await ended).code;
    }
    expect(ends).toContain(null);
    expect((await cli(commandLine('random'), call())).code).toBe(0);
    await expectComplete('random', before);
  });

  it('finds the batch that a lost response was about, even when the service has forgotten the key', async () => {
    const before = await batchIds();
    await killedAt(/^POST \/v1\/batch$/, 'late');
    const state = path.join(folder, 'late/.soil-batch/run.json');
    const sentAt = new Date(Date.now() - 25 * 3_600_000).toISOString();
    const text = readFileSync(state, 'utf8').replace(
      /"sent_at": "[^"]+"/,
      `"sent_at": "${sentAt}"`,
    );
    writeFileSync(state, text);
    const posted = service.requests.length;
    const [, ...options] = commandLine('late');
    expect((await cliHere(['submit', ...options], call())).code).toBe(0);
    expect(service.requests.slice(posted)).not.toContain('POST /v1/batch');
    const added = (await batchIds()).filter((id) => !before.includes(id));
    expect(added).toHaveLength(1);
    expect(readFileSync(state, 'utf8')).toContain(`"batch_id": "${added[0]}"`);
  });

  it('stops in order at Ctrl-C, and says that the same command continues', async () => {
    const child = startCli(commandLine('stopped'), call());
    service.server.once('request', () => child.kill('SIGINT'));
    const { code, stderr } = await finished(child);
    expect(code).toBe(130);
    expect(stderr).toContain('the same command continues');
  });

  it('lets no second process work in its folder', async () => {
    const [, ...options] = commandLine('twice');
    const first = startCli(['submit', ...options], call());
    const created = new Promise<void>((resolve) => {
      const pause = ({ method, url }: IncomingMessage) => {
        if (`${method} ${url}` !== 'POST /v1/batch') return;
        service.server.off('request', pause);
        first.kill('SIGSTOP');
        resolve();
      };
      service.server.prependListener('request', pause);
    });
    await created;
    const second = await cli(commandLine('twice'), call());
    first.kill('SIGCONT');
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/process \d+ works in/);
    expect((await finished(first)).code).toBe(0);
  });
});
