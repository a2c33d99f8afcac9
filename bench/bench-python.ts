import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const VENV = join(import.meta.dirname, '../.local/bench-venv');

/** The virtual environment is created if it is missing or outdated. */
export function installBenchPython(): string {
  const interpreter = join(VENV, 'bin/python');
  const installed = join(VENV, 'requirements.txt');
  const required = readFileSync(REQUIREMENTS, 'utf8');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== required) {
    mkdirSync(VENV, { recursive: true });
    execFileSync('python3', ['-m', 'venv', VENV], { stdio: 'inherit' });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    const trusted = ['--require-hashes', '--only-binary', ':all:', '-r', REQUIREMENTS];
    execFileSync(interpreter, [...pip, ...trusted], { stdio: 'inherit' });
    writeFileSync(installed, required);
  }
  return interpreter;
}

/** Undefined if R can run with the packages. */
export function findMissingInR(...packages: readonly string[]): string | undefined {
  const check = packages.map((name) => `requireNamespace("${name}", quietly = TRUE)`).join(' && ');
  try {
    const output = execFileSync('Rscript', ['-e', `cat(${check})`], { encoding: 'utf8' });
    return output.trim().endsWith('TRUE')
      ? undefined
      : `the R packages ${packages.join(' and ')} are not all installed`;
  } catch {
    return 'Rscript cannot be run';
  }
}
