import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { LOCAL_FOLDER, PROJECT_FOLDER } from '../paths.ts';
import { type MirroredPack, writeMirroredPack } from './packs.ts';
import { type Mirror, type Misbehave, serveMirror } from './serve.ts';

/** The folder of the packs, relative to the project's root like in the configuration. */
export const MIRROR_PACKS = '.local/mirror/packs';
export const WORLD_PACKS = ['openlandmap-soc', 'openlandmap-soc-30m'];

const run = promisify(execFile);

export interface MirrorOptions {
  /** The delay of each response. @default 50 */
  readonly latencyMs?: number;
  /** The port. @default a free port */
  readonly port?: number;
  /** The folder that will contain the files and the certificate. @default .local/mirror */
  readonly folder?: string;
  /** Arguments of `make.py`. @default none, which creates everything */
  readonly made?: readonly string[];
  /** The packs to write. @default all */
  readonly packs?: readonly MirroredPack[];
  /** @default MIRROR_PACKS */
  readonly packsFolder?: string;
  /** @default none */
  readonly misbehave?: Misbehave;
  readonly onStep?: (step: string) => void;
}

export interface StartedMirror extends Mirror {
  /** The certificate that clients must trust. */
  readonly certificateFile: string;
}

/**
 * Creates OpenLandMap's layers with synthetic values unless they exist, serves them over HTTPS, and writes packs that
 * read them.
 */
export async function startMirror({
  latencyMs = 50,
  port,
  folder = path.join(LOCAL_FOLDER, 'mirror'),
  made = [],
  packs = WORLD_PACKS.map((pack) => ({ pack })),
  packsFolder = path.join(PROJECT_FOLDER, MIRROR_PACKS),
  misbehave,
  onStep = () => {},
}: MirrorOptions = {}): Promise<StartedMirror> {
  const files = path.join(folder, 'files');
  await makeFiles(files, made, onStep);
  const [certificateFile, keyFile] = [path.join(folder, 'cert.pem'), path.join(folder, 'key.pem')];
  if (!existsSync(certificateFile)) await makeCertificate(certificateFile, keyFile);
  const certificate = {
    key: readFileSync(keyFile, 'utf8'),
    cert: readFileSync(certificateFile, 'utf8'),
  };
  const mirror = await serveMirror({
    folder: files,
    certificate,
    latencyMs,
    port,
    misbehave,
  });
  onStep('writing packs that read the mirror');
  for (const pack of packs) {
    await writeMirroredPack(pack, { folder: files, origin: mirror.origin }, packsFolder);
  }
  return { ...mirror, certificateFile };
}

/** Copies the packs of the stage `local` next to the mirror's packs, because a deployment has one folder of packs. */
export function copyLocalPacks(packsFolder: string): void {
  for (const pack of readStageConfig('local').modelPacks) {
    const source = path.join(PROJECT_FOLDER, 'models', pack);
    cpSync(source, path.join(PROJECT_FOLDER, packsFolder, pack), { recursive: true });
  }
}

async function makeFiles(
  files: string,
  made: readonly string[],
  onStep: (step: string) => void,
): Promise<void> {
  const script = path.join(PROJECT_FOLDER, 'local', 'mirror', 'make.py');
  const version = createHash('sha256')
    .update(readFileSync(script))
    .update(made.join())
    .digest('hex');
  const stamp = path.join(files, 'made-by');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === version) return;
  onStep('creating a world map with SYNTHETIC values (only the first time)');
  const unfinished = `${files}.unfinished`;
  for (const old of [files, unfinished]) rmSync(old, { recursive: true, force: true });
  await run(path.join(LOCAL_FOLDER, 'venv', 'bin', 'python'), [script, unfinished, ...made]);
  writeFileSync(path.join(unfinished, 'made-by'), version);
  renameSync(unfinished, files);
}

/**
 * Creates a certificate for the address alone, so that no name is resolved. Only this clone trusts it, so it may be
 * valid for a long time.
 */
async function makeCertificate(certificateFile: string, keyFile: string): Promise<void> {
  mkdirSync(path.dirname(certificateFile), { recursive: true });
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', keyFile, '-out', certificateFile];
  await run('openssl', [...kind, ...subject, '-days', '3650', ...files]);
}
