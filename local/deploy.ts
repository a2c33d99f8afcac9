import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { CloudFormationClient, paginateDescribeStacks } from '@aws-sdk/client-cloudformation';
import { openBootstrapBucket } from './emulator/adapt.ts';
import { buildAwsEnvironment, configureClient, type Emulator } from './emulator/emulator.ts';
import { LOCAL_FOLDER, PROJECT_FOLDER } from './paths.ts';

const CDK = path.join(PROJECT_FOLDER, 'node_modules', 'aws-cdk', 'bin', 'cdk');

/** Without this limit, a custom resource that does not respond would block the deployment for an hour. */
const CDK_DEADLINE_MS = 5 * 60_000;

export type StackOutputs = Readonly<Record<string, Readonly<Record<string, string>>>>;

export interface DeployOptions {
  /** The CDK app, as a path relative to the project's root. @default 'local/app.ts' */
  readonly entry?: string;
  /** Root of the project that contains the app and its packages. @default this project */
  readonly project?: string;
  readonly onStep?: (step: string) => void;
  /**
   * Creates the credentials that deploy the stacks, after the account is bootstrapped. @default the emulator's root
   * credentials
   */
  readonly deployer?: (emulator: Emulator) => Promise<Deployer>;
}

export interface Deployer {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/**
 * Deploys the application to the emulator with the CDK CLI, in the same way as to AWS: bootstrap, synth, deploy.
 * @returns the outputs of all stacks
 * @throws Error with the command's output if a step fails
 */
export async function deploy(
  emulator: Emulator,
  { entry = 'local/app.ts', project, onStep = () => {}, deployer }: DeployOptions = {},
): Promise<StackOutputs> {
  const root = buildAwsEnvironment(emulator);
  const { folder, assembly } = chooseFolders(emulator);
  mkdirSync(folder, { recursive: true });
  const cdk = (...args: readonly string[]) =>
    runCdk(root, path.join(folder, `${args[0]}.log`), args, project);

  onStep('bootstrapping the account and building the functions');
  await Promise.all([
    cdk('bootstrap', `aws://${emulator.accountId}/${emulator.region}`, '--app', ''),
    cdk('synth', '--app', `node --import tsx ${entry}`, '--output', assembly, '--quiet'),
  ]);
  await openBootstrapBucket(emulator);

  onStep('deploying the stacks');
  await deployBuilt(emulator, await deployer?.(emulator));
  return readOutputs(emulator);
}

/**
 * Deploys the assembly that was last built for the emulator.
 * @param deployer by default the emulator's root credentials
 */
export async function deployBuilt(emulator: Emulator, deployer?: Deployer): Promise<void> {
  const root = buildAwsEnvironment(emulator);
  const { folder, assembly } = chooseFolders(emulator);
  // The direct method is faster, and nobody would review a change set here.
  const unattended = ['--method', 'direct', '--require-approval', 'never'];
  const command = ['deploy', '--all', '--app', assembly, ...unattended];
  const environment = deployer === undefined ? root : withCredentials(deployer, root);
  await runCdk(environment, path.join(folder, 'deploy.log'), command);
}

function chooseFolders({ endpointUrl }: Emulator) {
  const folder = path.join(LOCAL_FOLDER, 'deploy', new URL(endpointUrl).port);
  return { folder, assembly: path.join(folder, 'cdk.out') };
}

type Environment = Readonly<Record<string, string>>;

function withCredentials(
  { accessKeyId, secretAccessKey }: Deployer,
  environment: Environment,
): Environment {
  return {
    ...environment,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  };
}

/** Runs a CDK command. Its output goes to a file, and into the error if it fails. */
async function runCdk(
  env: Environment,
  logFile: string,
  args: readonly string[],
  project: string = PROJECT_FOLDER,
): Promise<void> {
  const child = spawn(process.execPath, [CDK, ...args, '--no-notices', '--no-color', '--ci'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: CDK_DEADLINE_MS,
  });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const output = Buffer.concat(chunks).toString();
  writeFileSync(logFile, output);
  if (code !== 0) throw new Error(`"cdk ${args[0]}" failed:\n${output}`);
}

async function readOutputs(emulator: Emulator): Promise<StackOutputs> {
  const client = new CloudFormationClient(configureClient(emulator));
  const stacks: Record<string, Record<string, string>> = {};
  try {
    for await (const page of paginateDescribeStacks({ client }, {})) {
      for (const { StackName = '', Outputs = [] } of page.Stacks ?? []) {
        stacks[StackName] = Object.fromEntries(
          Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
        );
      }
    }
  } finally {
    client.destroy();
  }
  return stacks;
}
