import { readStageConfig } from '../lib/config/each-stage.ts';
import { STAGES } from '../lib/stages.ts';
import { CommandError, print, runCommand } from './operator/command.ts';
import { parseOptions } from './operator/command-line.ts';
import { connectWithRegion } from './operator/stage-table.ts';
import { remoteSources } from './packs/remote-sources.ts';
import { checkAccount } from './preflight/checks.ts';
import { formatFinding } from './preflight/finding.ts';

const HELP = `Usage: npm run preflight -- --stage local|dev|prod [--json]

Checks the account and region of your AWS environment before you deploy the stage there: the CDK's
bootstrap, Lambda's concurrency, API Gateway's log role, the certificates of the stage's domains, its
model packs, who is notified of alarms, and whether the user that signs results may be created.
Changes nothing.

Exit code 1: something would make the deployment fail; 2: the command line is invalid.`;

async function main(): Promise<void> {
  const { stage, json, help } = readStageOption();
  if (help === true) return console.log(HELP);
  const config = readStageConfig(stage);
  const connection = await connectWithRegion(config.stage);
  const findings = await checkAccount(connection, config, remoteSources());
  const data = { stage: config.stage, region: connection.region, findings };
  print({ data, text: findings.map(formatFinding).join('\n') }, json === true);
  if (findings.some(({ verdict }) => verdict === 'wrong')) process.exitCode = 1;
}

function readStageOption() {
  const flag = { type: 'boolean' } as const;
  const { values } = parseOptions({
    options: { stage: { type: 'string' }, json: flag, help: { ...flag, short: 'h' } },
  });
  if (values.help === true || STAGES.some((known) => known === values.stage)) return values;
  throw new CommandError(`--stage must be one of ${STAGES.join(', ')}`);
}

await runCommand('preflight', main);
