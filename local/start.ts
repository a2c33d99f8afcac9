import { runCommand } from '../bin/operator/command.ts';
import { CommandError } from '../bin/operator/command-error.ts';
import { narrator, readOptions, stepLine } from './command-line.ts';
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
  const { port, json } = readOptions({
    port: { type: 'string', default: DEFAULT_PORT },
    json: { type: 'boolean' },
  });
  const say = narrator(json);
  const answer = (service: ServiceDescription) =>
    console.log(json === true ? JSON.stringify(service) : describe(service));

  const wanted = readPort(port);
  const running = await findRunningService();
  if (running !== undefined) {
    say('The service is already running; "npm stop" ends it.\n');
    answer(running);
    return;
  }

  const started = Date.now();
  const service = await start(wanted, (step) => say(stepLine(started, `${step} …`)));
  await writeServiceFile(service.description);
  say(`${stepLine(started, 'ready')}\n`);
  answer(service.description);
  say('\nCtrl-C or "npm stop" ends it; nothing it holds is kept.');

  await untilAsked();
  say('Stopping …');
  await removeServiceFile();
  await service.stop();
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
    throw new Error(`${error.message}. End what listens there, or: npm start -- --port 4570`);
  }
}

function describe(service: ServiceDescription): string {
  return `  V1        ${service.v1_url}
  V2        ${service.v2_url}
  API key   ${service.api_key}
  AWS       ${service.endpoint_url} (${service.region})
  Log       ${service.log_file ?? 'kept by whoever started the emulator'}
  All this  ${SERVICE_FILE}

Try:  curl ${service.v2_url}/health`;
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

await runCommand('start', main);
