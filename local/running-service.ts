import type { LocalService } from './service.ts';
import { removeServiceFile } from './service-file.ts';

/** Keeps the service until Ctrl-C or `npm stop`, then stops it. */
export async function keepRunning(
  service: LocalService,
  print: (line: string) => void,
): Promise<void> {
  await untilStopped();
  print('Stopping …');
  await removeServiceFile();
  await service.stop();
}

function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    // Keeps this process alive if another process started the emulator.
    const keepAlive = setInterval(() => {}, 2 ** 30);
    const end = () => {
      clearInterval(keepAlive);
      resolve();
    };
    process.once('SIGINT', end);
    process.once('SIGTERM', end);
  });
}
