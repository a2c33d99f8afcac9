import { spawnSync } from 'node:child_process';
import { CommandError, runCommand } from '../bin/operator/command.ts';
import { SUITES } from './suites.ts';

/** Suites may run side by side, and OpenMP's threads wait for each other by spinning, which is slow on shared cores. */
const env = { ...process.env, OMP_NUM_THREADS: '1' };

/** `npm run suite -- <name> …`: runs suites one after the other, up to the first that fails. */
async function main(): Promise<void> {
  const names = process.argv.slice(2);
  const commands = names.flatMap((name) => SUITES[name] ?? []);
  if (names.length === 0 || commands.length < names.length) {
    throw new CommandError(`name one or more of: ${Object.keys(SUITES).join(', ')}`);
  }
  for (const command of commands) {
    const { status } = spawnSync(command, { shell: true, stdio: 'inherit', env });
    if (status === 0) continue;
    process.exitCode = status ?? 1;
    return;
  }
}

await runCommand('suite', main);
