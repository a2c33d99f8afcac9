import { CommandError, runCommand } from '../bin/operator/command.ts';
import { SERVICE_FILE } from '../bin/operator/local-service.ts';
import { progressPrinter, readOptions, stepLine } from './command-line.ts';
import { PortInUse } from './emulator/ministack.ts';
import { SERVICE_ENV_FILE } from './paths.ts';
import { keepRunning, startLocalService } from './service.ts';
import { findRunningService, type ServiceDescription, writeServiceFile } from './service-file.ts';

/** The usual port of AWS emulators. */
const DEFAULT_PORT = '4566';

/** `npm start`: runs the service on this machine until Ctrl-C or `npm stop`. */
async function main(): Promise<void> {
  const { port, json } = readOptions({
    port: { type: 'string', default: DEFAULT_PORT },
    json: { type: 'boolean' },
  });
  const print = progressPrinter(json);
  const printService = (service: ServiceDescription) =>
    console.log(json === true ? JSON.stringify(service) : describe(service));

  const requestedPort = readPort(port);
  const running = await findRunningService();
  if (running !== undefined) {
    print('The service is already running; "npm stop" stops it.\n');
    printService(running);
    return;
  }

  const started = Date.now();
  const service = await start(requestedPort, (step) => print(stepLine(started, `${step} …`)));
  await writeServiceFile(service.description);
  print(`${stepLine(started, 'ready')}\n`);
  printService(service.description);
  print('\nCtrl-C or "npm stop" stops it. Its data is not kept.');

  await keepRunning(service, print);
}

function readPort(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new CommandError(`--port must be a number from 1 to 65535; got ${text}`);
}

async function start(port: number, onStep: (step: string) => void) {
  try {
    return await startLocalService({ port, onStep });
  } catch (error) {
    if (!(error instanceof PortInUse)) throw error;
    throw new Error(`${error.message}: stop the process there, or run npm start -- --port 4570`);
  }
}

function describe(service: ServiceDescription): string {
  return `  V1        ${service.v1_url}
  V2        ${service.v2_url}
  Console   ${service.v2_url}/console
  API key   ${service.api_key}
  AWS       ${service.endpoint_url} (${service.region})
  Log       ${service.log_file ?? 'of the process that started the emulator'}
  Details   ${SERVICE_FILE}
  Variables source ${SERVICE_ENV_FILE} (V1_URL, V2_URL and API_KEY, for the examples of the docs)

Try:  curl ${service.v2_url}/health`;
}

await runCommand('start', main);
