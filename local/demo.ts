import { runCommand } from '../bin/operator/command.ts';
import { createProgressPrinter, formatStep, readOptions } from './command-line.ts';
import { type ExampleRun, runExample } from './demo/run-example.ts';
import { keepRunning, startLocalService } from './service.ts';
import { findRunningService, type ServiceDescription, writeServiceFile } from './service-file.ts';

/** `npm run demo` runs the example batch on this machine, from polygons to maps. */
async function main(): Promise<void> {
  const { json } = readOptions({ json: { type: 'boolean' } });
  const run = await runOnService(createProgressPrinter(json));
  if (json === true) console.log(JSON.stringify(run));
}

async function runOnService(print: (line: string) => void): Promise<ExampleRun> {
  const running = await findRunningService();
  if (running !== undefined) {
    print('Using the running service.');
    const run = await runExample(running, { print });
    printConsole(running, print);
    return run;
  }
  const started = Date.now();
  const service = await startLocalService({
    onStep: (step) => print(formatStep(started, `${step} …`)),
  });
  let run: ExampleRun;
  try {
    run = await runExample(service.description, { print });
  } catch (error) {
    await service.stop();
    throw error;
  }
  // A person looks at the console next, but a script waits for the command to end.
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    await service.stop();
    print(
      '\n"npm start" starts a service that keeps running, and prints the URL and the key of its console.',
    );
    return run;
  }
  await writeServiceFile(service.description);
  printConsole(service.description, print);
  print('\nThe service runs until you press Ctrl-C or run "npm stop". Its data is not kept.');
  await keepRunning(service, print);
  return run;
}

/** The key is not part of the URL, because browsers keep URLs. */
function printConsole(
  { v2_url, api_key }: ServiceDescription,
  print: (line: string) => void,
): void {
  print('\nLook at the maps, or draw your own field, in the console:\n');
  print(`  Console   ${v2_url}/console`);
  print(`  API key   ${api_key}`);
}

await runCommand('demo', main);
