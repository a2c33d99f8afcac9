import { setTimeout as sleep } from 'node:timers/promises';
import { findRunningService, removeServiceFile } from './service-file.ts';

const DEADLINE_MS = 15_000;
const POLL_MS = 100;

/** `npm stop`: ends the service that `npm start` runs. */
async function main(): Promise<void> {
  const service = await findRunningService();
  if (service === undefined) {
    await removeServiceFile();
    console.log('No service is running.');
    return;
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
  console.log('The service is stopped.');
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? `stop: ${error.message}` : error);
  process.exitCode = 1;
});
