import { runCommand } from '../bin/operator/command.ts';
import { progressPrinter, readOptions, stepLine } from './command-line.ts';
import { type ExampleRun, runExample } from './demo/run-example.ts';
import { runLarge } from './large/run-large.ts';
import { startLocalService } from './service.ts';
import { findRunningService } from './service-file.ts';

/**
 * `npm run demo`: runs the example batch on this machine, from polygons to maps. With `--large` it
 * predicts a raster of 20,000 × 20,000 cells with a synthetic model; `--trees` is the number of its
 * trees, `--land` the fraction of its tiles on land.
 */
async function main(): Promise<void> {
  const { json, large, ...synthetic } = readOptions({
    json: { type: 'boolean' },
    large: { type: 'boolean' },
    trees: { type: 'string' },
    land: { type: 'string' },
  });
  const print = progressPrinter(json);
  const run = large === true ? await runLarge(synthetic, print) : await runOnService(print);
  if (json === true) console.log(JSON.stringify(run));
}

/** Uses the service of `npm start` if it runs, or starts one. */
async function runOnService(print: (line: string) => void): Promise<ExampleRun> {
  const running = await findRunningService();
  if (running !== undefined) {
    print('Using the running service of "npm start".');
    return runExample(running, { print });
  }
  const started = Date.now();
  const service = await startLocalService({
    onStep: (step) => print(stepLine(started, `${step} …`)),
  });
  try {
    return await runExample(service.description, { print });
  } finally {
    await service.stop();
  }
}

await runCommand('demo', main);
