import { runCommand } from '../bin/operator/command.ts';
import { narrator, readOptions, stepLine } from './command-line.ts';
import { type ExampleRun, runExample } from './demo/run-example.ts';
import { runLarge } from './large/run-large.ts';
import { startLocalService } from './service.ts';
import { findRunningService } from './service-file.ts';

/**
 * `npm run demo`: the whole service once, from a polygon to a map, on this machine. With `--large` a
 * raster of 20,000 × 20,000 cells from a synthetic model of `--trees`, `--land` of its tiles land.
 */
async function main(): Promise<void> {
  const { json, large, ...synthetic } = readOptions({
    json: { type: 'boolean' },
    large: { type: 'boolean' },
    trees: { type: 'string' },
    land: { type: 'string' },
  });
  const say = narrator(json);
  const run = large === true ? await runLarge(synthetic, say) : await onSomeService(say);
  if (json === true) console.log(JSON.stringify(run));
}

async function onSomeService(say: (line: string) => void): Promise<ExampleRun> {
  const running = await findRunningService();
  if (running !== undefined) {
    say('Using the service that "npm start" keeps running.');
    return runExample(running, { say });
  }
  const started = Date.now();
  const service = await startLocalService({
    onStep: (step) => say(stepLine(started, `${step} …`)),
  });
  try {
    return await runExample(service.description, { say });
  } finally {
    await service.stop();
  }
}

await runCommand('demo', main);
