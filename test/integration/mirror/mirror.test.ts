import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { serveMirror } from '../../../local/mirror/serve.ts';
import { type StartedMirror, startMirror } from '../../../local/mirror/start.ts';
import { boxRing } from '../../support/box.ts';
import { compareByGdal, listLayers } from '../../support/mirror/compare.ts';
import { PLACES } from '../../support/mirror/places.ts';
import { obtainProgram } from '../../support/program.ts';
import { isNight } from '../../support/runs.ts';
import {
  CHANGING,
  HOSTILE,
  makeExpiredCertificate,
  PASSING,
  replaceFiles,
  serveFaults,
} from './hostile.ts';

const PERIODS = ['20100101_20151231', '20150101_20201231', '20200101_20221231'];
/** By day, the map has only an inland place, both sides of the antimeridian, and a coast. */
const FEW = ['iowa', 'fiji_west', 'fiji_east', 'portugal_coast'];
const MORE = ['pampa', 'beauce', 'kenya', 'punjab', 'wimmera', 'finnmark', 'taymyr'];
const MADE = (isNight ? [...FEW, ...MORE] : FEW).join();
const COMPARED = Object.entries(PLACES).filter(([name]) => isNight || !MORE.includes(name));
const YEARS = [2012, 2017, 2022];
const LAYERS = ['--layers', 'm_120m,p16_120m,p84_120m'];

const folder = mkdtempSync(join(tmpdir(), 'mirror-'));
const files = join(folder, 'files');
const cert = join(folder, 'all.pem');
const packs = join(folder, 'packs');
/** A server whose files state nodata, and one whose files do not. */
const mirrors: StartedMirror[] = [];
let expired: { close(): void };
let server: ChildProcess;
const FAILING = [...Object.keys(HOSTILE), 'expired'];
const KINDS = [...FAILING, ...Object.keys(PASSING), CHANGING];
const attempts: string[] = [];
let service = { url: '', apiKey: '' };

beforeAll(async () => {
  const declared = await startMirror({
    folder,
    made: [...LAYERS, '--periods', PERIODS.join(), '--places', MADE],
    packs: [{ pack: 'openlandmap-soc', from: [2010, 2015, 2020] }],
    packsFolder: packs,
    misbehave: serveFaults((kind) => attempts.push(kind)),
  });
  const period = ['--periods', '20200101_20221231', '--places', 'iowa', '--undeclared-nodata'];
  const undeclared = await startMirror({
    folder: join(folder, 'undeclared'),
    made: [...LAYERS, ...period],
    packs: [
      {
        pack: 'openlandmap-soc',
        from: [2020],
        nodata: 65_535,
        changes: { id: 'undeclared', by_name_only: true },
      },
    ],
    packsFolder: join(folder, 'undeclared'),
  });
  mirrors.push(declared, undeclared);
  const certificate = makeExpiredCertificate(folder);
  const elsewhere = await serveMirror({ folder: files, certificate, latencyMs: 0 });
  expired = elsewhere;
  const pack = readFileSync(join(packs, 'openlandmap-soc', 'manifest.json'), 'utf8');
  for (const kind of KINDS) {
    const host = kind === 'expired' ? elsewhere.origin : `${declared.origin}/${kind}`;
    const manifest = { ...JSON.parse(pack.replaceAll(declared.origin, host)), id: kind };
    mkdirSync(join(packs, kind));
    writeFileSync(
      join(packs, kind, 'manifest.json'),
      JSON.stringify({ ...manifest, by_name_only: true }),
    );
  }
  mkdirSync(join(packs, 'undeclared'));
  writeFileSync(
    join(packs, 'undeclared', 'manifest.json'),
    readFileSync(join(folder, 'undeclared', 'openlandmap-soc', 'manifest.json')),
  );
  const trusted = mirrors.map(({ certificateFile }) => readFileSync(certificateFile, 'utf8'));
  writeFileSync(cert, [...trusted, certificate.cert].join(''));
  const script = await obtainProgram('test/integration/mirror/serve-packs.ts');
  const names = ['openlandmap-soc', 'undeclared', ...KINDS].join();
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
  for (const one of [...mirrors, expired]) one.close();
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

async function runToEnd(jobs: readonly object[]) {
  const created = await call('/v1/batch', { method: 'POST', body: JSON.stringify({ jobs }) });
  const { batch_id } = z.object({ batch_id: z.string() }).parse(created);
  for (;;) {
    const state = batch.parse(await call(`/v1/batch/${batch_id}/status?limit=100`));
    if (!['pending', 'processing'].includes(state.status)) return state;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const makeIowaJob = (model: string | undefined) => ({
  name: 'iowa',
  year: 2022,
  polygon: PLACES['iowa'],
  ...(model === undefined ? {} : { model }),
});

function findDifferingCells(jobs: readonly z.infer<typeof job>[]) {
  return compareByGdal(
    jobs.map(({ name, year, signed_cog_url: url }) => ({
      url,
      layers: listLayers(year, files),
      polygon: PLACES[name],
    })),
  );
}

describe('a published world map, read over HTTPS with 50 ms of latency', () => {
  it('gives the same value as GDAL in every cell, for three years, across the antimeridian and at a coast', async () => {
    const wanted = YEARS.flatMap((year) =>
      COMPARED.map(([name, polygon]) => ({ name, year, polygon })),
    );
    const { jobs, status } = await runToEnd(wanted);
    expect(status).toBe('completed');
    const found = await findDifferingCells(jobs);
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
    const requests = mirrors[0]?.take().requests ?? [];
    // Three covariates in three periods are nine files.
    expect(requests.length).toBeLessThan(9 * (10 + jobs.length));
  });

  it('has the same cells if only the manifest states the nodata', async () => {
    const polygon = PLACES['iowa'];
    const { jobs } = await runToEnd([{ name: 'iowa', year: 2022, polygon, model: 'undeclared' }]);
    const [found] = await findDifferingCells(jobs);
    expect(found).toMatchObject({ differing: 0 });
    expect(found?.valid).toBeLessThan(found?.cells ?? 0);
  });

  it('is not asked again for a tile that neighbouring fields share', async () => {
    const beside = (west: number) => ({
      name: 'beside',
      year: 2022,
      polygon: { type: 'Polygon', coordinates: [boxRing(west, 41.98, west + 0.0102, 41.9902)] },
    });
    // First read the tiles that the neighbouring fields share with this field.
    await runToEnd([{ name: 'iowa', year: 2022, polygon: PLACES['iowa'] }]);
    mirrors[0]?.take();
    const { status } = await runToEnd([-93.6501, -93.6399, -93.6297].map(beside));
    expect(status).toBe('completed');
    const requests = mirrors[0]?.take().requests ?? [];
    // Each plan checks whether the three files are still the same.
    expect(requests.map((request) => request.split(' ')[1])).toEqual(Array(9).fill('0-0'));
  });

  it('fails only jobs whose host misbehaves, after the specified number of attempts', async () => {
    const { jobs, status } = await runToEnd([undefined, ...FAILING].map(makeIowaJob));
    expect(status).toBe('partial');
    expect(jobs.map(({ error_code }) => error_code)).toEqual([
      null,
      ...FAILING.map(() => 'covariate_unavailable'),
    ]);
    const attemptsOf = (kind: string) => attempts.filter((one) => one === kind).length;
    // Each of the three covariates is looked up when the job is planned.
    expect(attemptsOf('failing')).toBe(3 * 5);
    expect(attemptsOf('closing')).toBe(3 * 5);
    expect(attemptsOf('truncating')).toBe(3 * 5);
    expect(attemptsOf('redirecting')).toBe(3);
    expect(attemptsOf('gone')).toBe(3);
    // This host asks for a longer wait than a function allows.
    expect(attemptsOf('throttling')).toBe(3);
  });

  it('has the right cells even if a host is busy, cuts responses off or pauses for 10 s', async () => {
    const kinds = Object.keys(PASSING);
    const { jobs, status } = await runToEnd(kinds.map(makeIowaJob));
    expect(jobs.map(({ error_code }) => error_code)).toEqual(kinds.map(() => null));
    expect(status).toBe('completed');
    for (const [i, found] of (await findDifferingCells(jobs)).entries()) {
      // A host misbehaves at its second request, or pauses at its fifth.
      expect(attempts.filter((kind) => kind === kinds[i]).length, kinds[i]).toBeGreaterThan(4);
      expect(found.valid, kinds[i]).toBeGreaterThan(300);
      expect(found.differing, kinds[i]).toBe(0);
    }
  });

  it('fails a job whose file is replaced meanwhile, and reads the new file for the next job', async () => {
    replaceFiles();
    const before = await runToEnd([makeIowaJob(CHANGING)]);
    expect(before.jobs[0]?.error_code).toBe('covariate_unavailable');
    const { jobs } = await runToEnd([makeIowaJob(CHANGING)]);
    expect(await findDifferingCells(jobs)).toMatchObject([{ differing: 0 }]);
  });

  it('has results that are verified until one of the files of their year is replaced on the server', async () => {
    const { jobs } = await runToEnd([{ name: 'iowa', year: 2017, polygon: PLACES['iowa'] }]);
    const verified = async () => {
      const args = [await obtainProgram('bin/verify.ts'), jobs[0]?.item_url ?? '', '--json'];
      const env = { NODE_EXTRA_CA_CERTS: cert, API_KEY: service.apiKey };
      const pack = ['--pack', join(folder, 'packs', 'openlandmap-soc')];
      const run = promisify(execFile)(process.execPath, [...args, ...pack], {
        env: { ...process.env, ...env },
      });
      // The exit code is 1 if something differs.
      const { stdout } = await run.catch((error: { readonly stdout: string }) => error);
      return verification.parse(JSON.parse(stdout));
    };
    const before = await verified();
    expect(before).toMatchObject({ verified: true, cells: { differing: 0 } });
    const later = new Date(Date.now() + 60_000);
    const [, p16 = ''] = listLayers(2017, files);
    utimesSync(p16, later, later);
    const after = await verified();
    expect(after.verified).toBe(false);
    expect(after.changed).toEqual([expect.stringContaining('p16')]);
  });

  it('fails a job whose year has no data', async () => {
    const { jobs } = await runToEnd([{ name: 'iowa', year: 2023, polygon: PLACES['iowa'] }]);
    expect(jobs[0]?.error_code).toBe('year_not_covered');
  });
});
