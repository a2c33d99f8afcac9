import { parseArgs } from 'node:util';
import { PortInUse } from './emulator/ministack.ts';
import { SERVICE_FILE } from './paths.ts';
import { startLocalService } from './service.ts';
import {
  findRunningService,
  removeServiceFile,
  type ServiceDescription,
  writeServiceFile,
} from './service-file.ts';

/** The port that AWS emulators are expected on. */
const DEFAULT_PORT = '4566';

/** `npm start`: runs the service on this machine until Ctrl-C or `npm stop`. */
async function main(): Promise<void> {
  const running = await findRunningService();
  if (running !== undefined) {
    console.log('The service is already running; "npm stop" ends it.\n');
    print(running);
    return;
  }

  const started = Date.now();
  const service = await startLocalService({
    port: wantedPort(),
    onStep: (step) => console.log(`${seconds(started)}  ${step} …`),
  });
  await writeServiceFile(service.description);
  console.log(`${seconds(started)}  ready\n`);
  print(service.description);
  console.log('\nCtrl-C or "npm stop" ends it; nothing it holds is kept.');

  await untilAsked();
  console.log('Stopping …');
  await removeServiceFile();
  await service.stop();
}

function wantedPort(): number {
  const { values } = parseArgs({ options: { port: { type: 'string', default: DEFAULT_PORT } } });
  const port = Number(values.port);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new Error(`--port must be a number from 1 to 65535; got ${values.port}`);
}

function print(service: ServiceDescription): void {
  console.log(`  V1        ${service.v1_url}
  V2        ${service.v2_url}
  API key   ${service.api_key}
  AWS       ${service.endpoint_url} (${service.region})
  Log       ${service.log_file ?? 'kept by whoever started the emulator'}
  All this  ${SERVICE_FILE}

Try:  curl ${service.v2_url}/health`);
}

function untilAsked(): Promise<void> {
  return new Promise((resolve) => {
    // Keeps the process when the emulator is someone else’s: nothing here would wait for it.
    const keepAlive = setInterval(() => {}, 2 ** 30);
    const end = () => {
      clearInterval(keepAlive);
      resolve();
    };
    process.once('SIGINT', end);
    process.once('SIGTERM', end);
  });
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1_000).toFixed(0).padStart(4)} s`;
}

main().catch((error: unknown) => {
  if (error instanceof PortInUse) {
    console.error(`start: ${error.message}. End what listens there, or: npm start -- --port 4570`);
  } else {
    console.error(error instanceof Error ? `start: ${error.message}` : error);
  }
  process.exitCode = 1;
});
