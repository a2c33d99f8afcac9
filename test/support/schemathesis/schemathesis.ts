import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { LOCAL_FOLDER } from '../../../local/paths.ts';

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const PROGRAM = path.join(LOCAL_FOLDER, 'venv', 'bin', 'schemathesis');

export interface SchemathesisRun {
  /** The deployment's base URL, where its OpenAPI document is too. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The number of examples per operation and phase, and of chains of linked operations. */
  readonly examples: number;
  /** @default all */
  readonly phases?: readonly ('examples' | 'coverage' | 'fuzzing' | 'stateful')[];
  /** The same seed generates the same requests for the same document. */
  readonly seed: number;
}

export interface Outcome {
  readonly cases: number;
  /** The output of schemathesis, with a curl command for each failure; empty without failures. */
  readonly failures: string;
}

export async function runSchemathesis({
  baseUrl,
  apiKey,
  examples,
  phases,
  seed,
}: SchemathesisRun): Promise<Outcome> {
  // Schemathesis writes caches and reports into its working directory.
  const folder = await mkdtemp(path.join(tmpdir(), 'soil-batch-contract-'));
  try {
    // Schemathesis's own download has a time limit of ten seconds that no option changes.
    const document = path.join(folder, 'openapi.json');
    const response = await fetch(`${baseUrl}/openapi.json`);
    if (!response.ok) throw new Error(`openapi.json: status ${response.status}`);
    await writeFile(document, await response.text());
    const { code, output } = await run(folder, [
      '--config-file',
      path.join(FOLDER, 'schemathesis.toml'),
      'run',
      document,
      ...['--url', baseUrl],
      ...['--header', `Authorization: Bearer ${apiKey}`],
      ...['--checks', 'all'],
      // How fast it generates requests depends on the machine.
      ...['--suppress-health-check', 'too_slow'],
      ...['--max-examples', String(examples)],
      ...(phases === undefined ? [] : ['--phases', phases.join()]),
      ...['--seed', String(seed)],
      // The default limit of ten seconds is too short for a cold function on a busy machine.
      ...['--request-timeout', '60'],
      '--no-color',
    ]);
    const cases = Number(/(\d[\d,]*) generated/.exec(output)?.[1]?.replaceAll(',', '') ?? 0);
    return { cases, failures: code === 0 ? '' : output };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function run(
  folder: string,
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(PROGRAM, args, {
      cwd: folder,
      // A path in the configuration would be relative to the working directory.
      env: { ...process.env, SCHEMATHESIS_HOOKS: path.join(FOLDER, 'hooks.py') },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output: Buffer.concat(output).toString() }));
  });
}
