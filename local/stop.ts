import { setTimeout as sleep } from 'node:timers/promises';
import { runCommand } from '../bin/operator/command.ts';
import { readOptions } from './command-line.ts';
import { findRunningService, removeServiceFile } from './service-file.ts';

const DEADLINE_MS = 15_000;
const POLL_MS = 100;

/** `npm stop` stops the service that `npm start` runs. */
async function main(): Promise<void> {
  const { json } = readOptions({ json: { type: 'boolean' } });
  const stopped = await stopService();
  if (json === true) console.log(JSON.stringify({ stopped }));
  else console.log(stopped ? 'The service has stopped.' : 'No service is running.');
}

async function stopService(): Promise<boolean> {
  const service = await findRunningService();
  if (service === undefined) {
    await removeServiceFile();
    return false;
  }
  process.kill(service.process_id, 'SIGTERM');
  const deadline = Date.now() + DEADLINE_MS;
  while (isRunning(service.process_id)) {
    if (Date.now() > deadline) {
      throw new Error(`process ${service.process_id} did not end within ${DEADLINE_MS / 1_000} s`);
    }
    await sleep(POLL_MS);
  }
  await removeServiceFile();
  return true;
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

await runCommand('stop', main);
