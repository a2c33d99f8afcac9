import { printJson, runCommand } from './operator/command.ts';
import { HELP, readArguments } from './smoke/arguments.ts';
import { lineOf, tallyOf } from './smoke/check.ts';
import { runSmoke } from './smoke/run.ts';

/** `npm run smoke --`: tests a deployed stage from end to end. */
async function main(): Promise<void> {
  const command = readArguments(process.argv.slice(2), process.env);
  if (command === null) return console.log(HELP);
  const log = command.json ? console.error : console.log;
  const report = await runSmoke(command, log, (result) => log(lineOf(result)));
  log(`\n${tallyOf(report.findings)}`);
  if (command.json) printJson(report);
  if (report.findings.some(({ verdict }) => verdict === 'failed')) process.exitCode = 1;
}

await runCommand('smoke', main);
