import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { obtainProgram } from '../../support/program.ts';

export interface DevService {
  readonly url: string;
  readonly apiKey: string;
  stop(): Promise<void>;
}

/** Starts `npm run dev` on a free port. */
export async function startDevService(): Promise<DevService> {
  const args = [await obtainProgram('local/dev.ts'), '--port', '0', '--json'];
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  if (child.stdout === null) throw new Error('the server has no output');
  const [line] = await once(createInterface(child.stdout), 'line');
  const { url, api_key } = JSON.parse(String(line));
  return {
    url,
    apiKey: api_key,
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
