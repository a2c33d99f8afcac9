import { narrator, readOptions, runCommand, stepLine } from './command-line.ts';
import { type ExampleRun, runExample } from './demo/run-example.ts';
import { startLocalService } from './service.ts';
import { findRunningService } from './service-file.ts';

/** `npm run demo`: the whole service once, from a polygon to a map, on this machine. */
async function main(): Promise<void> {
  const { json } = readOptions({ json: { type: 'boolean' } });
  const say = narrator(json);
  const run = await onSomeService(say);
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

runCommand('demo', main);
