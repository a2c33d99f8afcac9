import { StageUnreachable } from './operator/stage-table.ts';
import { UsageError } from './operator/usage-error.ts';
import { HELP, readArguments } from './smoke/arguments.ts';
import { lineOf, summaryOf } from './smoke/report.ts';
import { runSmoke } from './smoke/run.ts';

/** `npm run smoke --`: looks at a deployed stage from end to end. */
async function main(): Promise<void> {
  const command = readArguments(process.argv.slice(2), process.env);
  if (command === null) return console.log(HELP);
  const say = command.json ? console.error : console.log;
  const report = await runSmoke(command, say, (finding) => say(lineOf(finding)));
  say(`\n${summaryOf(report.findings)}`);
  if (command.json) console.log(JSON.stringify(report, null, 2));
  if (report.findings.some(({ verdict }) => verdict === 'failed')) process.exitCode = 1;
}

// The SDK's note about Node versions to come is not what an operator asked for.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
main().catch((error: unknown) => {
  const known = error instanceof UsageError || error instanceof StageUnreachable;
  console.error(known ? `smoke: ${error.message}` : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
