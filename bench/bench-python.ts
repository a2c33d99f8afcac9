import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const VENV = join(import.meta.dirname, '../.local/bench-venv');

/** The Python of the benchmarks' own environment, made when it is not there as required. */
export function benchPython(): string {
  const interpreter = join(VENV, 'bin/python');
  const installed = join(VENV, 'requirements.txt');
  const required = readFileSync(REQUIREMENTS, 'utf8');
  if (!existsSync(installed) || readFileSync(installed, 'utf8') !== required) {
    mkdirSync(VENV, { recursive: true });
    execFileSync('python3', ['-m', 'venv', VENV], { stdio: 'inherit' });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'];
    execFileSync(interpreter, [...pip, '-r', REQUIREMENTS], { stdio: 'inherit' });
    writeFileSync(installed, required);
  }
  return interpreter;
}

/** R's packages that are missing here, as a reason to leave its side out; undefined when none is. */
export function missingInR(...packages: readonly string[]): string | undefined {
  const asked = packages.map((name) => `requireNamespace("${name}", quietly = TRUE)`).join(' && ');
  try {
    const said = execFileSync('Rscript', ['-e', `cat(${asked})`], { encoding: 'utf8' });
    return said.trim().endsWith('TRUE') ? undefined : `R without ${packages.join(' or ')}`;
  } catch {
    return 'no Rscript';
  }
}
