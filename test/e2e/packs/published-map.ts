import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { mirroredPack } from '../../../local/mirror/packs.ts';
import { serveMirror } from '../../../local/mirror/serve.ts';
import { LOCAL_FOLDER, PROJECT_FOLDER } from '../../../local/paths.ts';
import { certificateFor } from '../../support/delivery/local-receiver.ts';
import { asJson } from '../../support/model/builders.ts';
import { E2E_PACKS, MAP_FILES } from './packs.ts';

const LAYERS = ['--layers', 'm_120m,p16_120m,p84_120m'];
const PERIODS = ['--periods', '20150101_20201231,20200101_20221231'];
const PLACES = ['--places', 'portugal_coast'];

export interface ServedMap {
  /** Clients must trust it. */
  readonly certificateFile: string;
  close(): void;
}

/** Makes and serves the layers, and writes the pack that reads them. */
export async function servePublishedMap(): Promise<ServedMap> {
  rmSync(MAP_FILES, { recursive: true, force: true });
  const script = path.join(PROJECT_FOLDER, 'local', 'mirror', 'make.py');
  const python = path.join(LOCAL_FOLDER, 'venv', 'bin', 'python');
  execFileSync(python, [script, MAP_FILES, ...LAYERS, ...PERIODS, ...PLACES]);
  const certificate = certificateFor('127.0.0.1');
  const certificateFile = `${MAP_FILES}.pem`;
  writeFileSync(certificateFile, certificate.cert);
  const { origin, close } = await serveMirror({ folder: MAP_FILES, certificate, latencyMs: 50 });
  await writePack(origin);
  return { certificateFile, close };
}

async function writePack(origin: string): Promise<void> {
  const pack = { pack: 'openlandmap-soc', from: [2015, 2020] };
  const packs = path.join(PROJECT_FOLDER, E2E_PACKS);
  const folder = await mirroredPack(pack, { folder: MAP_FILES, origin }, packs);
  const file = path.join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  // Unlike the real map it has a correlation of errors, so areas have an interval; and jobs outside all
  // other packs must still fail.
  const correlation = { model: 'exponential', nugget: 0.3, range_m: 500 };
  const error = { ...manifest.error, correlation };
  writeFileSync(file, asJson({ ...manifest, by_name_only: true, error }));
}
