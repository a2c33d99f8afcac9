import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readStageConfig } from '../lib/config/each-stage.ts';
import { FIRST_DEPLOYMENT } from '../lib/service.ts';
import { listStackNames } from '../lib/stages.ts';
import { readFailures } from './deploy/failures.ts';
import { describeUntried, explainFailure, readUntried } from './deploy/untried.ts';
import { CommandError, runCommand } from './operator/command.ts';
import { parseStage } from './operator/command-line.ts';
import { connectWithRegion } from './operator/stage-table.ts';
import { remoteSources } from './packs/remote-sources.ts';
import { checkAccount } from './preflight/checks.ts';
import { formatFinding } from './preflight/finding.ts';
import { isFirstDeployment, readStatuses } from './preflight/stacks.ts';

const HELP = `Usage: npm run deploy -- --stage dev|prod [options of "cdk deploy"]

Checks the account and region of your AWS environment like "npm run preflight", and changes nothing if the checks
find something WRONG. Otherwise lists the parts of the service that were never tried in an AWS account, and deploys
the stage's three stacks. A stage with deletionProtection is protected once all stacks exist.

Exit code 1: the deployment failed or would fail; 2: the command line is invalid.`;

const CDK = fileURLToPath(new URL('../node_modules/aws-cdk/bin/cdk', import.meta.url));

async function main(): Promise<void> {
  const [option, name, ...cdkOptions] = process.argv.slice(2);
  if (option === '--help' || option === '-h') return console.log(HELP);
  if (option !== '--stage') throw new CommandError('--stage must be the first option');
  const stage = parseStage(name);
  const connection = await connectWithRegion(stage);
  const config = readStageConfig(stage);

  const findings = await checkAccount(connection, config, remoteSources());
  console.log(findings.map(formatFinding).join('\n'));
  const wrong = findings.filter(({ verdict }) => verdict === 'wrong');
  if (wrong.length > 0) {
    const sentences = wrong.map(({ about, says }) => `\n  ${about}: ${says}`).join('');
    throw new CommandError(
      `nothing was deployed, because the deployment would fail:${sentences}`,
      1,
    );
  }

  const untried = readUntried();
  console.log(`\n${describeUntried(untried)}\n`);
  const since = new Date();
  const deploy = async (...options: readonly string[]) => {
    if (runCdk(['deploy', '--all', '--context', `stage=${stage}`, ...options, ...cdkOptions]))
      return;
    const stacks = Object.values(listStackNames(stage));
    // An older deployer policy does not allow reading events.
    const reasons = await readFailures(connection, stacks, since).catch(() => []);
    throw new CommandError(explainFailure(reasons, untried, stage), 1);
  };
  if (!isFirstDeployment(await readStatuses(connection, stage))) return deploy();
  await deploy('--context', `${FIRST_DEPLOYMENT}=true`);
  if (!config.deletionProtection) return;
  console.log('All stacks exist. Protecting them from deletion …');
  await deploy();
}

/** @returns whether the CDK succeeded */
function runCdk(args: readonly string[]): boolean {
  return spawnSync(process.execPath, [CDK, ...args], { stdio: 'inherit' }).status === 0;
}

await runCommand('deploy', main);
