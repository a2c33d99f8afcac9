import { execFile, execFileSync } from 'node:child_process';
import {
  closeSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeMirroredPack } from '../../../local/mirror/packs.ts';
import {
  createCertificate,
  type LocalReceiver,
  receiveHttp,
  receiveHttps,
} from '../../support/delivery/local-receiver.ts';
import { listLayers } from '../../support/mirror/compare.ts';
import { obtainProgram } from '../../support/program.ts';
import {
  NODATA,
  OFFSET,
  OVERVIEWS,
  patchHeader,
  SAMPLE_FORMAT,
  SCALE,
  WIDTH,
} from './patched-header.ts';

const folder = mkdtempSync(join(tmpdir(), 'pack-add-'));
const clone = join(folder, 'clone');
const files = join(folder, 'files');
const pack = join(clone, 'models', 'openlandmap-soc');
const manifest = join(pack, 'manifest.json');
const cert = join(folder, 'cert.pem');
const STAGE_PACKS = join(clone, 'lib/config/model-packs.json');
const ORIGINAL = JSON.parse(readFileSync('lib/config/model-packs.json', 'utf8'));
const program = join(clone, 'pack-add.mjs');
const PERIODS = ['20150101_20201231', '20200101_20221231'];
const LAYERS = ['m_120m', 'p16_120m', 'p84_120m'];
const [EARLIER, LATER] = [2017, 2022].map((year) => listLayers(year, files));
const P16 = LATER?.[1] ?? '';
/** The ETag of each file; by default, it never changes. */
const etags = new Map<string, () => string>();
let publisher: LocalReceiver;
let unfrozen = '';

/** Known places with the magnitude of the mirror's synthetic values, and a place without data. */
const PLACES = [
  makePlace('Iowa', [-93.6, 42], 20),
  makePlace('west', [179.954, -16.6], 20),
  makePlace('east', [-179.95, -16.6], 20),
  makePlace('ocean', [-30, 30], null),
];

beforeAll(async () => {
  cpSync('biome.json', join(clone, 'biome.json'));
  cpSync('lib/config/model-packs.json', STAGE_PACKS);
  for (const name of ['openlandmap-soc', 'meuse-soc', 'deployment-check']) {
    cpSync(join('models', name), join(clone, 'models', name), { recursive: true });
  }
  const here = pathToFileURL(resolve('.')).href;
  const text = readFileSync(await obtainProgram('bin/pack-add.ts'), 'utf8');
  writeFileSync(program, text.replaceAll(here, pathToFileURL(clone).href));
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
  const made = ['--layers', LAYERS.join(), '--periods', PERIODS.join()];
  const places = ['--places', 'iowa,fiji_west,fiji_east'];
  execFileSync('.local/venv/bin/python', ['local/mirror/make.py', files, ...made, ...places]);
  const certificate = createCertificate('127.0.0.1');
  writeFileSync(cert, certificate.cert);
  publisher = await receiveHttps(certificate, respond);
  const { origin } = publisher;
  await writeMirroredPack(
    { pack: 'openlandmap-soc', from: [2015, 2020] },
    { folder: files, origin },
    join(clone, 'models'),
  );
  const { grid: _, coverage: __, covariates, ...rest } = JSON.parse(readFileSync(manifest, 'utf8'));
  for (const covariate of covariates) delete covariate.nodata;
  unfrozen = JSON.stringify({ ...rest, covariates });
});

afterAll(async () => {
  await publisher[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

/** Serves only ranges: the publisher may reject HEAD. */
function respond({ method, url, headers }: IncomingMessage, response: ServerResponse): void {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
  if (method !== 'GET' || first === undefined) return void response.writeHead(403).end();
  const file = join(files, decodeURIComponent(url ?? ''));
  const { size } = statSync(file);
  const [from, to] = [Number(first), Math.min(Number(last), size - 1)];
  const bytes = Buffer.alloc(to - from + 1);
  const opened = openSync(file, 'r');
  readSync(opened, bytes, 0, bytes.length, from);
  closeSync(opened);
  const etag = etags.get(file)?.() ?? '"one"';
  response.writeHead(206, { 'content-range': `bytes ${from}-${to}/${size}`, etag }).end(bytes);
}

beforeEach(() => {
  writeFileSync(manifest, unfrozen);
  writeFileSync(join(pack, 'places.json'), JSON.stringify(PLACES));
  cpSync('lib/config/model-packs.json', STAGE_PACKS);
});

function makePlace(place: string, [lon, lat]: readonly [number, number], published: number | null) {
  return { place, lon, lat, published, source: 'synthetic' };
}

interface Run {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in the clone. It does not block the server of this process. */
function runPackAdd(options: readonly string[], answer = ''): Promise<Run> {
  const command = [program, 'models/openlandmap-soc', ...options];
  return new Promise((resolved) => {
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert };
    const run = execFile(process.execPath, command, { cwd: clone, env }, (error, stdout, stderr) =>
      resolved({ status: Number(error?.code ?? 0), stdout, stderr }),
    );
    run.stdin?.end(answer);
  });
}

const readStagePacks = () =>
  JSON.parse(readFileSync(join(clone, 'lib/config/model-packs.json'), 'utf8'));
const splitLines = ({ stderr }: Run) =>
  stderr
    .trim()
    .replace(/^pack-add: /, '')
    .split('\n');

async function expectUnchanged(run: Run, ...lines: readonly RegExp[]) {
  expect(splitLines(run)).toEqual([
    ...lines.map((line) => expect.stringMatching(line)),
    'nothing was changed',
  ]);
  expect(run.status).toBe(1);
  expect(readStagePacks().prod).toEqual([]);
  expect(readFileSync(manifest, 'utf8')).toBe(unfrozen);
}

describe('`npm run pack-add` with a published map', () => {
  it('shows it next to published values, freezes it, and adds it only to the named stage', async () => {
    const run = await runPackAdd(['--stage', 'prod', '--yes']);
    expect(run).toMatchObject({ status: 0, stderr: '' });
    const lines = run.stdout.split('\n');
    const [header, ...rows] = lines.slice(lines.findIndex((line) => line.startsWith('place ')));
    expect(header).toMatch(
      /^place +lon +lat +published \(kg\/m3\) +2020-2022 \(p16–p84\) +2015-2019$/,
    );
    for (const [i, place] of [
      'Iowa +-93.6 +42',
      'west +179.954 +-16.6',
      'east +-179.95 +-16.6',
    ].entries()) {
      const value = String.raw`[\d.]+ \([\d.]+–[\d.]+\) +[\d.]+$`;
      expect(rows[i]).toMatch(new RegExp(`^${place} +20 +${value}`));
    }
    expect(rows[3]).toMatch(/^ocean +-30 +30 +no data +no data +no data$/);
    expect(run.stdout.match(/uint16, overviews: \d+; .*nodata 65535; .*ETag "/g)).toHaveLength(6);
    expect(readStagePacks()).toEqual({ ...ORIGINAL, prod: ['openlandmap-soc'] });
    expect(readFileSync(STAGE_PACKS, 'utf8')).toBe(
      readFileSync('lib/config/model-packs.json', 'utf8').replace('[]', '["openlandmap-soc"]'),
    );
    const { grid, covariates } = JSON.parse(readFileSync(manifest, 'utf8'));
    expect(grid).toMatchObject({ origin: [-180.0005, 76.0005], width: 360_001, height: 132_001 });
    expect(covariates).toMatchObject(LAYERS.map(() => ({ scale: 0.1, nodata: 65_535 })));
  });

  it('checks a frozen map again when it is added to another stage', async () => {
    await runPackAdd(['--stage', 'prod', '--yes']);
    const frozen = readFileSync(manifest, 'utf8');
    const restore = patchHeader(P16, WIDTH, 359_000);
    const differs = await runPackAdd(['--stage', 'dev', '--yes']);
    restore();
    expect(differs.status).toBe(1);
    expect(readStagePacks().dev).toEqual(ORIGINAL.dev);
    expect(await runPackAdd(['--stage', 'dev', '--yes'])).toMatchObject({ status: 0 });
    expect(readStagePacks().dev).toEqual([...ORIGINAL.dev, 'openlandmap-soc']);
    expect(readFileSync(manifest, 'utf8')).toBe(frozen);
  });

  it('marks an implausible place, which a person must confirm', async () => {
    const places = [
      makePlace('Iowa', [-93.6, 42], 200),
      makePlace('ocean', [-93.6, 42], null),
      makePlace('land', [-30, 30], 20),
    ];
    writeFileSync(join(pack, 'places.json'), JSON.stringify(places));
    const run = await runPackAdd(['--stage', 'prod', '--yes']);
    await expectUnchanged(run, /--yes/);
    expect(run.stdout.match(/^! .*/gm)).toEqual([
      expect.stringMatching(/^! Iowa, 2015-2019: [\d.]+ kg\/m3 .* 200/),
      expect.stringMatching(/^! ocean, 2015-2019: the map has [\d.]+ kg\/m3/),
      expect.stringMatching(/^! land, 2015-2019: the map has no data/),
    ]);
    await expectUnchanged(await runPackAdd(['--stage', 'prod']), /not confirmed/);
    expect(await runPackAdd(['--stage', 'prod'], 'y\n')).toMatchObject({ status: 0 });
    expect(readStagePacks().prod).toEqual(['openlandmap-soc']);
  });

  it('changes nothing if files differ, and names each difference on a line', async () => {
    const changes = [
      [WIDTH, 359_000],
      [SAMPLE_FORMAT, 2],
      [SCALE, 1],
      [OFFSET, 5],
      [NODATA, null],
      [OVERVIEWS, null],
    ] as const;
    const restore = [...(EARLIER ?? []), ...(LATER ?? [])].map((file, i) => {
      const [field, value] = changes[i] ?? [OVERVIEWS, null];
      return patchHeader(file, field, value);
    });
    const run = await runPackAdd(['--stage', 'prod', '--yes']);
    for (const back of restore) back();
    await expectUnchanged(
      run,
      /^mean 2015-2019 has the bounds -180\.0005, .*expected\.json/,
      /^p16 2015-2019 has samples of int16, .*uint16/,
      /^p84 2020-2022 has 0 overviews/,
      /^mean 2020-2022: its offset is 5 .* 0 /,
      /^p16 2020-2022: .*finite nodata/,
      /^p84 2015-2019: its scale is 1 .* 0\.1/,
    );
  });

  it('changes nothing if a file is replaced while it is read', async () => {
    etags.set(P16, () => `"${Math.random()}"`);
    const run = await runPackAdd(['--stage', 'prod', '--yes']);
    etags.clear();
    await expectUnchanged(run, /^p16 2020-2022: .*changed/);
  });

  it('accepts a map on a server of this machine only for the local stage', async () => {
    await using own = await receiveHttp(respond);
    writeFileSync(manifest, unfrozen.replaceAll(publisher.origin, own.origin));
    const refused = await runPackAdd(['--stage', 'dev', '--yes']);
    expect(refused.stderr).toContain('covariates[0].href');
    expect(readStagePacks()).toEqual(ORIGINAL);
    expect(await runPackAdd(['--stage', 'local', '--yes'])).toMatchObject({ status: 0 });
    expect(readStagePacks().local).toEqual([...ORIGINAL.local, 'openlandmap-soc']);
  });

  it('changes nothing if the stage could not be deployed because jobs without a model had no pack', async () => {
    const byName = JSON.stringify({ ...JSON.parse(unfrozen), by_name_only: true });
    writeFileSync(manifest, byName);
    const run = await runPackAdd(['--stage', 'prod', '--yes']);
    expect(run.stderr).toMatch(/by_name_only: /);
    expect(readStagePacks()).toEqual(ORIGINAL);
    expect(readFileSync(manifest, 'utf8')).toBe(byName);
  });
});
