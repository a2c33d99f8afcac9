import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { mirroredPack } from '../../../local/mirror/packs.ts';
import { type Mirror, serveMirror } from '../../../local/mirror/serve.ts';
import { certificateFor } from '../../support/delivery/local-receiver.ts';
import { PLACES } from './places.ts';

const PYTHON = '.local/venv/bin/python';
const PERIODS = {
  2012: '20100101_20151231',
  2017: '20150101_20201231',
  2022: '20200101_20221231',
} as const;
const YEARS = Object.keys(PERIODS).map(Number);
const LAYERS = ['m_120m', 'p16_120m', 'p84_120m'];

const folder = mkdtempSync(join(tmpdir(), 'mirror-'));
const files = join(folder, 'files');
let mirror: Mirror;
let server: ChildProcess;
let service = { url: '', apiKey: '' };

beforeAll(async () => {
  const made = [files, '--layers', LAYERS.join(), '--periods', Object.values(PERIODS).join()];
  execFileSync(PYTHON, ['local/mirror/make.py', ...made]);
  const certificate = certificateFor('127.0.0.1');
  const cert = join(folder, 'cert.pem');
  writeFileSync(cert, certificate.cert);
  mirror = await serveMirror({ folder: files, certificate, latencyMs: 50 });
  const packs = join(folder, 'packs');
  mkdirSync(packs);
  const { origin } = mirror;
  await mirroredPack(
    { pack: 'openlandmap-soc', from: [2010, 2015, 2020] },
    { folder: files, origin },
    packs,
  );
  const script = 'test/integration/mirror/serve-packs.ts';
  server = spawn(process.execPath, ['--import', 'tsx', script, packs, 'openlandmap-soc'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: cert },
  });
  if (server.stdout === null) throw new Error('the server has no output');
  const [line] = await once(createInterface(server.stdout), 'line');
  service = z.object({ url: z.string(), apiKey: z.string() }).parse(JSON.parse(line));
}, 120_000);

afterAll(async () => {
  server.kill();
  await once(server, 'exit');
  mirror.close();
  rmSync(folder, { recursive: true });
});

const job = z.object({
  name: z.string(),
  year: z.number(),
  status: z.string(),
  data_period: z.tuple([z.number(), z.number()]).nullable(),
  signed_cog_url: z.string().nullable(),
  error_code: z.string().nullable(),
  warnings: z.array(z.object({ code: z.string() })),
  summary: z.object({ mean: z.number(), lower: z.null(), level: z.null() }).nullable(),
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

const compared = z.array(
  z.object({
    cells: z.number(),
    valid: z.number(),
    differing: z.number(),
    mean: z.number(),
    data_period: z.string(),
  }),
);

/** What GDAL says of the rasters of jobs. */
async function compare(jobs: readonly z.infer<typeof job>[]) {
  const inputs = await Promise.all(
    jobs.map(async ({ name, year, signed_cog_url }, i) => {
      const raster = join(folder, `${i}.tif`);
      const body = await (await fetch(signed_cog_url ?? '')).arrayBuffer();
      writeFileSync(raster, new Uint8Array(body));
      return {
        raster,
        layers: LAYERS.map((layer) => layerFile(layer, year)),
        polygon: PLACES[name],
      };
    }),
  );
  const input = JSON.stringify(inputs);
  const output = execFileSync(PYTHON, ['test/integration/mirror/compare.py'], {
    input,
    encoding: 'utf8',
  });
  return compared.parse(JSON.parse(output));
}

const { covariates } = z
  .object({ covariates: z.array(z.object({ href: z.record(z.string(), z.string()) })) })
  .parse(JSON.parse(readFileSync('models/openlandmap-soc/manifest.json', 'utf8')));

function layerFile(layer: string, year: number): string {
  const period = Object.entries(PERIODS).find(([of]) => Number(of) === year)?.[1] ?? '';
  const urls = covariates.flatMap(({ href }) => Object.values(href));
  const url = urls.find(
    (candidate) => candidate.includes(`_${layer}_`) && candidate.includes(period),
  );
  return join(files, new URL(url ?? '').pathname);
}

describe('a published map of the world, read over HTTPS with 50 ms of latency', {
  timeout: 120_000,
}, () => {
  it('gives every cell as GDAL reads it, in three years on five continents, over the antimeridian and a coast', async () => {
    const wanted = YEARS.flatMap((year) =>
      Object.entries(PLACES).map(([name, polygon]) => ({ name, year, polygon })),
    );
    const { jobs, status } = await finished(wanted);
    expect(status).toBe('completed');
    const found = await compare(jobs);
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

  it('refuses a year outside, with those there are', async () => {
    const { jobs } = await finished([{ name: 'iowa', year: 2023, polygon: PLACES['iowa'] }]);
    expect(jobs[0]?.error_code).toBe('year_not_covered');
  });
});
