import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCAL_FOLDER } from '../../local/paths.ts';

const FOLDER = join(import.meta.dirname, '../generators');
const PACKAGES = join(FOLDER, 'node_modules');
const VENV = join(LOCAL_FOLDER, 'venv', 'bin');

/** A program and a client that was generated from a document, both compiled without errors. */
export interface GeneratedClient {
  /** @returns the JSON that the program prints */
  run(...args: readonly string[]): Promise<unknown>;
}

/** Writes the document to a temporary folder outside the clone, and deletes the folder when `use` ends. */
export async function withDocument<T>(
  document: unknown,
  use: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'soil-batch-client-'));
  try {
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(document));
    await symlink(PACKAGES, join(folder, 'node_modules'));
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** @throws Error with the output of the generator or the compiler */
export async function openApiTypescript(folder: string): Promise<GeneratedClient> {
  const target = join(folder, 'typescript');
  await cp(join(FOLDER, 'typescript'), target, { recursive: true });
  // With this file Node runs the compiled files as modules.
  await writeFile(join(target, 'package.json'), '{ "type": "module" }');
  await command(folder, 'openapi-typescript', 'openapi.json', '-o', 'typescript/schema.ts');
  await command(folder, 'tsc', '-p', 'typescript');
  const program = join(target, 'compiled', 'client.js');
  return {
    run: async (...args) =>
      JSON.parse(await runPrinting(process.execPath, [program, ...args], folder)),
  };
}

/** @throws Error with the output of the generator, which must not warn, or of mypy */
export async function openApiPythonClient(folder: string): Promise<GeneratedClient> {
  const target = join(folder, 'python');
  await cp(join(FOLDER, 'python'), target, { recursive: true });
  await runPrinting(
    join(VENV, 'openapi-python-client'),
    [
      ...['generate', '--path', 'openapi.json', '--config', 'python/config.yaml'],
      ...['--meta', 'none', '--output-path', 'python/soil_client', '--fail-on-warning'],
    ],
    folder,
  );
  await runPrinting(join(VENV, 'mypy'), ['--strict', '--cache-dir=/dev/null', '.'], target);
  return {
    run: async (...args) =>
      JSON.parse(await runPrinting(join(VENV, 'python'), ['client.py', ...args], target)),
  };
}

/** Runs a command of the packages of test/generators in a folder. @throws Error with the command's output */
export async function command(
  folder: string,
  name: string,
  ...args: readonly string[]
): Promise<void> {
  await runPrinting(join(PACKAGES, '.bin', name), args, folder);
}

function runPrinting(program: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, args, { cwd, maxBuffer: 1024 ** 3 }, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      reject(new Error(`${error.message}\n${stdout}${stderr}`));
    });
  });
}
