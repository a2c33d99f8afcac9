import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PYTHON_LOCKS } from './generated/python-locks.ts';
import { runCommand } from './operator/command.ts';

/** The oldest version that `local/setup.mjs` accepts. */
const OLDEST_PYTHON = '3.11';

/**
 * `npm run lock-python` writes each `requirements.txt` from its `requirements.in`, for every platform and with the
 * hashes of all files. A version stays the same until its `requirements.in` asks for another.
 */
async function main(): Promise<void> {
  const uv = join(import.meta.dirname, '../.local/venv/bin/uv');
  const compile = ['pip', 'compile', '--quiet', '--universal', '--generate-hashes'];
  const header = ['--custom-compile-command', 'npm run lock-python'];
  for (const folder of PYTHON_LOCKS) {
    const lock = `${folder}/requirements.txt`;
    const files = ['--output-file', lock, `${folder}/requirements.in`];
    execFileSync(uv, [...compile, ...header, '--python-version', OLDEST_PYTHON, ...files], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    console.log(lock);
  }
}

await runCommand('lock-python', main);
