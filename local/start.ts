import { CommandError, runCommand } from '../bin/operator/command.ts';
import { SERVICE_FILE } from '../bin/operator/local-service.ts';
import { createProgressPrinter, formatStep, parsePort, readOptions } from './command-line.ts';
import { PortInUse } from './emulator/ministack.ts';
import { copyLocalPacks, MIRROR_PACKS, startMirror } from './mirror/start.ts';
import { SERVICE_ENV_FILE } from './paths.ts';
import { keepRunning, type LocalServiceOptions, startLocalService } from './service.ts';
import { findRunningService, type ServiceDescription, writeServiceFile } from './service-file.ts';

/** The usual port of AWS emulators. */
const DEFAULT_PORT = '4566';

/**
 * `npm start` runs the service on this machine until Ctrl-C or `npm stop`. With `--mirror` the service also has a world
 * map with synthetic values.
 */
async function main(): Promise<void> {
  const { port, json, mirror } = readOptions({
    port: { type: 'string', default: DEFAULT_PORT },
    json: { type: 'boolean' },
    mirror: { type: 'boolean' },
  });
  const print = createProgressPrinter(json);
  const printService = (service: ServiceDescription) =>
    console.log(json === true ? JSON.stringify(service) : describeService(service));

  const requestedPort = parsePort(port, 1);
  const running = await findRunningService();
  if (running !== undefined) {
    if (mirror === true) {
      throw new CommandError('the service is already running; run "npm stop" first');
    }
    print('The service is already running. Run "npm stop" to stop it.\n');
    printService(running);
    return;
  }

  const started = Date.now();
  const onStep = (step: string) => print(formatStep(started, `${step} …`));
  const world = mirror === true ? await startMirroredWorld(onStep) : undefined;
  const options = { port: requestedPort, onStep, ...world?.options };
  const service = await startService(options).catch((error: unknown) => {
    world?.mirror.close();
    throw error;
  });
  await writeServiceFile(service.description);
  print(`${formatStep(started, 'ready')}\n`);
  printService(service.description);
  if (mirror === true) print(`\n${WORLD}`);
  print('\nThe service runs until you press Ctrl-C or run "npm stop". Its data is not kept.');

  await keepRunning(service, print);
  world?.mirror.close();
}

const WORLD = `  The models openlandmap-soc (120 m) and openlandmap-soc-30m cover the world from 56° S to 76° N.
  Their values are SYNTHETIC and say nothing about any soil. Only a few places have values, which at 120 m include all of Iowa.`;

async function startMirroredWorld(onStep: (step: string) => void) {
  if (process.env['AWS_ENDPOINT_URL']) {
    throw new CommandError('--mirror starts its own emulator; unset AWS_ENDPOINT_URL');
  }
  copyLocalPacks(MIRROR_PACKS);
  const mirror = await startMirror({ onStep });
  const environment = { NODE_EXTRA_CA_CERTS: mirror.certificateFile };
  // The synthesis, a child of this process, reads the layers too.
  Object.assign(process.env, environment);
  return { mirror, options: { entry: 'local/mirror/app.ts', environment } };
}

async function startService(options: LocalServiceOptions) {
  try {
    return await startLocalService(options);
  } catch (error) {
    if (!(error instanceof PortInUse)) throw error;
    throw new Error(
      `${error.message}; stop the process that uses it, or run npm start -- --port 4570`,
    );
  }
}

function describeService(service: ServiceDescription): string {
  return `  V1        ${service.v1_url}
  V2        ${service.v2_url}
  Console   ${service.v2_url}/console
  API key   ${service.api_key}
  AWS       ${service.endpoint_url} (${service.region})
  Log       ${service.log_file ?? 'see the process that started the emulator'}
  Details   ${SERVICE_FILE}
  Variables source ${SERVICE_ENV_FILE} (V1_URL, V2_URL and API_KEY, for the examples of the docs)

Try:  curl ${service.v2_url}/health`;
}

await runCommand('start', main);
