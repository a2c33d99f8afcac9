import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packFolder } from '#engine/model/pack/pack-folder.ts';
import { freeze } from '../bin/packs/freeze.ts';
import { type Mirror, serveMirror } from '../local/mirror/serve.ts';
import { certificateFor } from '../test/support/delivery/local-receiver.ts';
import type { Bench, BenchReport } from './bench.ts';
import { bundled, type Measured } from './measured-process.ts';

const PYTHON = '.local/venv/bin/python';
const LATENCY_MS = 50;
const FIELDS = 100;
const LAYERS = 10;
/** Of a field: about 2 km in cells of 0.001°. */
const EDGE = 20;
/** Where `local/mirror/make.py` has values. */
const PLACES = [
  [-93.6, 42],
  [-60.5, -34.5],
  [1.5, 48.2],
  [36.9, -0.3],
  [75.6, 31],
  [142.2, -36.4],
  [25.4, 70],
] as const;
const HOST = 'https://s3.opengeohub.org/';

interface Reading extends Measured {
  /** Of all values. */
  readonly sum: number;
  readonly versions?: Readonly<Record<string, string>>;
  readonly requests: number;
  readonly bytes: number;
}

export const bench: Bench = {
  title: `${FIELDS} fields of 2 km from ${LAYERS} layers of the world, over HTTPS with ${LATENCY_MS} ms of latency`,
  async run(): Promise<BenchReport> {
    const folder = mkdtempSync(join(tmpdir(), 'bench-remote-maps-'));
    const files = join(folder, 'files');
    execFileSync(PYTHON, ['local/mirror/make.py', files, '--layers', 'm_120m,p16_120m']);
    const certificate = certificateFor('127.0.0.1');
    const mirror = await serveMirror({ folder: files, certificate, latencyMs: LATENCY_MS });
    try {
      const cert = join(folder, 'cert.pem');
      writeFileSync(cert, certificate.cert);
      return report(...(await bothSides(folder, mirror, cert)));
    } finally {
      mirror.close();
      rmSync(folder, { recursive: true });
    }
  },
};

async function bothSides(
  folder: string,
  mirror: Mirror,
  cert: string,
): Promise<readonly [ours: Reading, theirs: Reading]> {
  const layers = await packAt(folder, mirror);
  const inputs = { layers: join(folder, 'layers.json'), windows: join(folder, 'windows.json') };
  writeFileSync(inputs.layers, JSON.stringify(layers));
  writeFileSync(inputs.windows, JSON.stringify(windows()));
  const measure = async (command: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
    mirror.take();
    const { stdout } = await promisify(execFile)(command, args, {
      env: { ...process.env, ...env },
    });
    const { requests, bytes } = mirror.take();
    return { ...JSON.parse(stdout), requests: requests.length, bytes } as Reading;
  };
  const ours = [bundled('remote-maps/ours.ts'), join(folder, 'pack'), inputs.windows];
  const theirs = [
    join(import.meta.dirname, 'remote-maps/theirs.py'),
    inputs.layers,
    inputs.windows,
  ];
  return [
    await measure(process.execPath, ours, { NODE_EXTRA_CA_CERTS: cert }),
    await measure(PYTHON, theirs, { GDAL_CURL_CA_BUNDLE: cert }),
  ];
}

/** A static pack of the first layers of all periods. @returns their URLs */
async function packAt(folder: string, { origin }: Mirror): Promise<readonly string[]> {
  const source = readFileSync('models/openlandmap-soc/manifest.json', 'utf8');
  const manifest = JSON.parse(source.replaceAll(HOST, ''));
  const paths = manifest.covariates
    .slice(0, 2)
    .flatMap(({ href }: { href: Record<string, string> }) => Object.values(href));
  const [covariate] = manifest.covariates;
  const unfrozen = {
    ...manifest,
    temporal: { kind: 'static', data_period: [2000, 2022] },
    covariates: paths.map((href: string, i: number) => ({ ...covariate, name: `layer${i}`, href })),
    bands: paths.map((_: string, index: number) => ({
      ...{ name: `band${index}`, description: 'layer', from: { kind: 'target', index } },
    })),
    error: undefined,
  };
  const frozen = await freeze(
    JSON.parse(JSON.stringify(unfrozen)),
    packFolder(join(folder, 'files')),
  );
  const pack = join(folder, 'pack');
  mkdirSync(pack);
  const text = JSON.stringify(frozen.manifest).replaceAll(
    '"global-soil/',
    `"${origin}/global-soil/`,
  );
  writeFileSync(join(pack, 'manifest.json'), text);
  return paths.map((href: string) => `${origin}/${href}`);
}

/** Near the places, at most 30 cells away: col, row, width and height. */
function windows(): readonly (readonly number[])[] {
  return Array.from({ length: FIELDS }, (_, i) => {
    const [lon = 0, lat = 0] = PLACES[i % PLACES.length] ?? [];
    const col = Math.round((lon + 180) * 1_000) - 30 + ((i * 7) % 41);
    const row = Math.round((85 - lat) * 1_000) - 30 + ((i * 13) % 41);
    return [col, row, EDGE, EDGE];
  });
}

function report(ours: Reading, theirs: Reading): BenchReport {
  if (ours.sum !== theirs.sum) throw new Error(`the sums are ${ours.sum} and ${theirs.sum}`);
  const row = (name: string, read: Reading) => [
    name,
    read.wall_s.toFixed(1),
    read.cpu_s.toFixed(1),
    String(read.requests),
    (read.bytes / 1e6).toFixed(1),
    read.peak_mib.toFixed(0),
  ];
  return {
    columns: ['reader', 'time (s)', 'CPU (s)', 'requests', 'MB', 'memory (MiB)'],
    rows: [row('ours', ours), row('rasterio with `/vsicurl/`', theirs)],
    notes: [
      'Layers as `local/mirror/make.py` makes them: 360,000 × 145,000 cells in tiles of 512, sparse. One process reads all layers of a field, then the next field; both return the same values. A function of the service reads the fields of one job.',
    ],
    versions: { ...theirs.versions, Node: process.version },
  };
}
