import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { mirroredPack } from '../../../local/mirror/packs.ts';
import { type Mirror, serveMirror } from '../../../local/mirror/serve.ts';
import { certificateFor, type LocalReceiver } from '../../support/delivery/local-receiver.ts';
import { comparedByGdal, layersOf } from '../../support/mirror/compare.ts';
import { PLACES } from '../../support/mirror/places.ts';
import { programOf } from '../../support/program.ts';
import { expiredCertificate, HOSTILE, hostileHost } from './hostile.ts';

const PYTHON = '.local/venv/bin/python';
const PERIODS = ['20100101_20151231', '20150101_20201231', '20200101_20221231'];
const MADE =
  'iowa,pampa,beauce,kenya,punjab,wimmera,fiji_west,fiji_east,finnmark,taymyr,portugal_coast';
const YEARS = [2012, 2017, 2022];

const folder = mkdtempSync(join(tmpdir(), 'mirror-'));
const files = join(folder, 'files');
const cert = join(folder, 'cert.pem');
let mirror: Mirror;
let server: ChildProcess;
const KINDS = [...Object.keys(HOSTILE), 'expired'];
const hosts: LocalReceiver[] = [];
/** The kinds of the requests to hostile hosts. */
const attempts: string[] = [];
let service = { url: '', apiKey: '' };

beforeAll(async () => {
  const layers = ['--layers', 'm_120m,p16_120m,p84_120m', '--periods', PERIODS.join()];
  const made = [files, ...layers, '--places', MADE];
  execFileSync(PYTHON, ['local/mirror/make.py', ...made]);
  const certificate = certificateFor('127.0.0.1');
  mirror = await serveMirror({ folder: files, certificate, latencyMs: 50 });
  const packs = join(folder, 'packs');
  mkdirSync(packs);
  const { origin } = mirror;
  await mirroredPack(
    { pack: 'openlandmap-soc', from: [2010, 2015, 2020] },
    { folder: files, origin },
    packs,
  );
  const certificates = [certificate, expiredCertificate(folder)] as const;
  hosts.push(await hostileHost(certificates[0], (kind) => attempts.push(kind)));
  hosts.push(await hostileHost(certificates[1], () => undefined));
  const pack = readFileSync(join(packs, 'openlandmap-soc', 'manifest.json'), 'utf8');
  for (const kind of KINDS) {
    const host = hosts[kind === 'expired' ? 1 : 0]?.origin;
    const manifest = { ...JSON.parse(pack.replaceAll(origin, `${host}/${kind}`)), id: kind };
    mkdirSync(join(packs, kind));
    writeFileSync(
      join(packs, kind, 'manifest.json'),
      JSON.stringify({ ...manifest, by_name_only: true }),
    );
  }
  writeFileSync(cert, certificates.map((one) => one.cert).join(''));
  const script = await programOf('test/integration/mirror/serve-packs.ts');
  const names = ['openlandmap-soc', ...KINDS].join();
  server = spawn(process.execPath, [script, packs, names], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: cert },
  });
  if (server.stdout === null) throw new Error('the server has no output');
  const [line] = await once(createInterface(server.stdout), 'line');
  service = z.object({ url: z.string(), apiKey: z.string() }).parse(JSON.parse(line));
});

afterAll(async () => {
  server.kill();
  await once(server, 'exit');
  mirror.close();
  for (const host of hosts) await host[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const job = z.object({
  name: z.string(),
  year: z.number(),
  status: z.string(),
  data_period: z.tuple([z.number(), z.number()]).nullable(),
  signed_cog_url: z.string().nullable(),
  item_url: z.string().nullable(),
  error_code: z.string().nullable(),
  warnings: z.array(z.object({ code: z.string() })),
  summary: z.object({ mean: z.number(), lower: z.null(), level: z.null() }).nullable(),
});
const verification = z.object({
  verified: z.boolean(),
  changed: z.array(z.string()),
  cells: z.object({ differing: z.number() }).nullable(),
});
const batch = z.object({ status: z.string(), jobs: z.array(job) });

async function call(path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { Authorization: `Bearer ${service.apiKey}`, 'Content-Type': 'application/json' };
  return (await fetch(`${service.url}${path}`, { headers, ...init })).json();
}

async function finished(jobs: readonly object[]) {
  const created = await call('/v1/batch', { method: 'POST', body: JSON.stringify({ jobs }) });
  const { batch_id } = z.object({ batch_id: z.string() }).parse(created);
  for (;;) {
    const state = batch.parse(await call(`/v1/batch/${batch_id}/status?limit=100`));
    if (!['pending', 'processing'].includes(state.status)) return state;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

describe('a published map of the world, read over HTTPS with 50 ms of latency', () => {
  it('gives every cell as GDAL reads it, in three years on five continents, over the antimeridian and a coast', async () => {
    const wanted = YEARS.flatMap((year) =>
      Object.entries(PLACES).map(([name, polygon]) => ({ name, year, polygon })),
    );
    const { jobs, status } = await finished(wanted);
    expect(status).toBe('completed');
    const found = await comparedByGdal(
      jobs.map(({ name, year, signed_cog_url: url }) => ({
        url,
        layers: layersOf(year, files),
        polygon: PLACES[name],
      })),
    );
    for (const [i, { name, year, summary, data_period, warnings }] of jobs.entries()) {
      const what = `${name} ${year}`;
      const { cells = 0, valid = 0, differing, mean = 0, data_period: tag } = found[i] ?? {};
      expect(cells, what).toBeGreaterThan(300);
      expect(valid, what).toBeGreaterThan(cells / 4);
      expect(differing, what).toBe(0);
      expect(summary?.mean, what).toBeCloseTo(mean, 3);
      expect(data_period?.join('/'), what).toBe(tag);
      const codes = warnings.map(({ code }) => code);
      expect(codes, what).toContain('interval_unavailable');
      expect(codes, what).not.toContain('partly_outside_coverage');
    }
    const iowa = jobs.filter(({ name }) => name === 'iowa');
    expect(new Set(iowa.map(({ summary }) => summary?.mean)).size).toBe(3);
    const { requests } = mirror.take();
    expect(requests.length).toBeLessThan(12 * jobs.length);
  });

  it('fails only the jobs of a host that misbehaves, after the designed attempts', async () => {
    const wanted = [undefined, ...KINDS].map((model) => ({
      name: 'iowa',
      year: 2022,
      polygon: PLACES['iowa'],
      ...(model === undefined ? {} : { model }),
    }));
    const { jobs, status } = await finished(wanted);
    expect(status).toBe('partial');
    expect(jobs.map(({ error_code }) => error_code)).toEqual([
      null,
      ...KINDS.map(() => 'covariate_unavailable'),
    ]);
    const attemptsOf = (kind: string) => attempts.filter((one) => one === kind).length;
    // Three covariates, each looked up when the job is planned.
    expect(attemptsOf('failing')).toBe(3 * 5);
    expect(attemptsOf('closing')).toBe(3 * 5);
    expect(attemptsOf('redirecting')).toBe(3);
    expect(attemptsOf('gone')).toBe(3);
  });

  it('is verified with the covariates of its year, until a file there is replaced', async () => {
    const { jobs } = await finished([{ name: 'iowa', year: 2017, polygon: PLACES['iowa'] }]);
    const verified = async () => {
      const args = [await programOf('bin/verify.ts'), jobs[0]?.item_url ?? '', '--json'];
      const env = { NODE_EXTRA_CA_CERTS: cert, API_KEY: service.apiKey };
      const pack = ['--pack', join(folder, 'packs', 'openlandmap-soc')];
      const run = promisify(execFile)(process.execPath, [...args, ...pack], {
        env: { ...process.env, ...env },
      });
      // Its exit code is 1 if something differs.
      const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
      return verification.parse(JSON.parse(stdout));
    };
    const before = await verified();
    expect(before).toMatchObject({ verified: true, cells: { differing: 0 } });
    const later = new Date(Date.now() + 60_000);
    const [, p16 = ''] = layersOf(2017, files);
    utimesSync(p16, later, later);
    const after = await verified();
    expect(after.verified).toBe(false);
    expect(after.changed).toEqual([expect.stringContaining('p16')]);
  });

  it('refuses a year outside, with those there are', async () => {
    const { jobs } = await finished([{ name: 'iowa', year: 2023, polygon: PLACES['iowa'] }]);
    expect(jobs[0]?.error_code).toBe('year_not_covered');
  });
});
