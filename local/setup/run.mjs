import { spawn } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..', '..');

/** A failure that its message explains. */
export class SetupError extends Error {}

/** Runs an installer; its output is shown only if it fails. */
export function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.stderr.on('data', (chunk) => output.push(chunk));
    child.on('error', (error) => reject(new SetupError(`${command}: ${error.message}`)));
    child.on('close', (code) => {
      if (code === 0) return resolve();
      const text = Buffer.concat(output).toString().trim();
      reject(new SetupError(`${text}\n\n"${command} ${args.join(' ')}" failed (see above).`));
    });
  });
}
