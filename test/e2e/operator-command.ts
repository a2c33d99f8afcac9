import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { obtainProgram } from '../support/program.ts';

export interface EndedCommand {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export function runOperatorCommand(
  command: string,
  ...args: readonly string[]
): Promise<EndedCommand> {
  return runOnEmulator(command, ...args, '--stage', 'local', '--json');
}

/** Runs `bin/<command>.ts` with this run's emulator as its account. */
export async function runOnEmulator(
  command: string,
  ...args: readonly string[]
): Promise<EndedCommand> {
  const service = inject('service');
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: service.endpoint_url,
    AWS_REGION: service.region,
    AWS_ACCESS_KEY_ID: service.access_key_id,
    AWS_SECRET_ACCESS_KEY: service.secret_access_key,
  };
  const line = [await obtainProgram(`bin/${command}.ts`), ...args];
  return promisify(execFile)(process.execPath, line, { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

/** Returns the JSON that a command prints. @throws Error if the command fails */
export async function runForJson(command: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = await runOperatorCommand(command, ...args);
  if (code !== 0) throw new Error(`${command} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}
