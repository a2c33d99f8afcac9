import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { CommandError, runCommand } from '../bin/operator/command.ts';
import { readOptions } from './command-line.ts';
import { mirroredPack } from './mirror/packs.ts';
import { serveMirror } from './mirror/serve.ts';
import { LOCAL_FOLDER, PROJECT_FOLDER } from './paths.ts';

const FOLDER = path.join(LOCAL_FOLDER, 'mirror');
const FILES = path.join(FOLDER, 'files');
const CERTIFICATE = path.join(FOLDER, 'cert.pem');
const KEY = path.join(FOLDER, 'key.pem');
const PACKS = ['openlandmap-soc', 'openlandmap-soc-30m'];

/**
 * `npm run mirror`: OpenLandMap's layers with synthetic values, over HTTPS on this machine, and packs that
 * read them.
 */
async function main(): Promise<void> {
  const options = readOptions({
    port: { type: 'string', default: '4443' },
    latency: { type: 'string', default: '50' },
  });
  const [port, latencyMs] = [Number(options.port), Number(options.latency)];
  if (![port, latencyMs].every((number) => Number.isInteger(number) && number >= 0)) {
    throw new CommandError('--port and --latency (in ms) must be whole numbers from 0');
  }
  makeFiles();
  makeCertificate();
  const certificate = { key: readFileSync(KEY, 'utf8'), cert: readFileSync(CERTIFICATE, 'utf8') };
  const { origin } = await serveMirror({ folder: FILES, certificate, latencyMs, port });
  for (const pack of PACKS) {
    await mirroredPack({ pack }, { folder: FILES, origin }, path.join(FOLDER, 'packs'));
  }
  console.log(`SYNTHETIC layers at ${origin}, each response after ${latencyMs} ms. Try:

  export NODE_EXTRA_CA_CERTS=${CERTIFICATE}
  npm run --silent pack-check -- ${path.join(FOLDER, 'packs', 'openlandmap-soc')} --year 2020 --near=-93.6,42`);
}

function makeFiles(): void {
  if (existsSync(FILES)) return;
  const script = path.join(PROJECT_FOLDER, 'local', 'mirror', 'make.py');
  const unfinished = `${FILES}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  console.log('making the files: about a minute, 30 MB');
  execFileSync(path.join(LOCAL_FOLDER, 'venv', 'bin', 'python'), [script, unfinished], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  renameSync(unfinished, FILES);
}

/** The certificate is for the address alone, so that no name is resolved. */
function makeCertificate(): void {
  if (existsSync(CERTIFICATE)) return;
  const kind = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  execFileSync('openssl', [
    ...kind,
    ...subject,
    '-days',
    '365',
    '-keyout',
    KEY,
    '-out',
    CERTIFICATE,
  ]);
}

await runCommand('mirror', main);
