import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readStageConfig } from '../lib/config/each-stage.ts';
import { FIRST_DEPLOYMENT } from '../lib/service.ts';
import { CommandError, runCommand } from './operator/command.ts';
import { parseStage } from './operator/command-line.ts';
import { connectToRegion } from './operator/stage-table.ts';
import { remoteSources } from './packs/remote-sources.ts';
import { checkAccount } from './preflight/checks.ts';
import { formatFinding } from './preflight/finding.ts';
import { isFirstDeployment, readStatuses } from './preflight/stacks.ts';

const HELP = `Usage: npm run deploy -- --stage dev|prod [options of "cdk deploy"]

Checks the account and region of your AWS environment as "npm run preflight" does. Changes nothing if that finds
something WRONG; otherwise deploys the stage's three stacks. A stage with deletionProtection is protected once all
of them exist.

Exit code 1: the deployment failed, or would fail; 2: the command line is invalid.`;

const CDK = fileURLToPath(new URL('../node_modules/aws-cdk/bin/cdk', import.meta.url));

/** `npm run deploy --` */
async function main(): Promise<void> {
  const [option, name, ...cdkOptions] = process.argv.slice(2);
  if (option === '--help' || option === '-h') return console.log(HELP);
  if (option !== '--stage') throw new CommandError('--stage must come first');
  const stage = parseStage(name);
  const connection = await connectToRegion(stage);
  const config = readStageConfig(stage);

  const findings = await checkAccount(connection, config, remoteSources());
  console.log(findings.map(formatFinding).join('\n'));
  const wrong = findings.filter(({ verdict }) => verdict === 'wrong');
  if (wrong.length > 0) {
    const sentences = wrong.map(({ about, says }) => `\n  ${about}: ${says}`).join('');
    throw new CommandError(`nothing was deployed, because it would fail:${sentences}`, 1);
  }

  const deploy = (...options: readonly string[]) =>
    runCdk(['deploy', '--all', '--context', `stage=${stage}`, ...options, ...cdkOptions]);
  if (!isFirstDeployment(await readStatuses(connection, stage))) return deploy();
  deploy('--context', `${FIRST_DEPLOYMENT}=true`);
  if (!config.deletionProtection) return;
  console.log('All stacks exist. Now they are protected from deletion.');
  deploy();
}

function runCdk(args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [CDK, ...args], { stdio: 'inherit' });
  if (status !== 0) throw new CommandError('see docs/aws.md#when-a-deployment-fails', 1);
}

await runCommand('deploy', main);
