import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import * as z from 'zod';

const PYTHON = join(import.meta.dirname, '../../../.local/venv/bin/python');

const answer = z.union([z.object({ printed: z.string() }), z.object({ error: z.string() })]);

type Checks = ReturnType<typeof startChecks>;

/** All test files of a worker share one process, because starting it takes longer than most checks. */
let checks: Checks | undefined;

function startChecks() {
  const program = [join(import.meta.dirname, 'checks.py')];
  const { stdin, stdout } = spawn(PYTHON, program, { stdio: ['pipe', 'pipe', 'inherit'] });
  return { requests: stdin, answers: createInterface(stdout)[Symbol.asyncIterator]() };
}

/** Runs a script, given by its path from this folder, in the project's Python, and parses its JSON output. */
export async function runCheck(
  script: string,
  args: readonly string[],
  input = '',
): Promise<unknown> {
  checks ??= startChecks();
  const { requests, answers } = checks;
  const request = `${JSON.stringify({ script, args, input })}\n`;
  if (!requests.write(request)) await once(requests, 'drain');
  const { value } = await answers.next();
  if (value === undefined) throw new Error(`the process that ran ${script} has ended`);
  const found = answer.parse(JSON.parse(value));
  if ('error' in found) throw new Error(`${script}: ${found.error}`);
  return JSON.parse(found.printed);
}

export async function withFile<T>(
  bytes: Uint8Array,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'raster-'));
  try {
    const path = join(folder, 'raster.tif');
    writeFileSync(path, bytes);
    return await use(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
