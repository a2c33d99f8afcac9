import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { expect, inject, it } from 'vitest';
import { stackNames } from '../../lib/stages.ts';
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { LOCAL_FOLDER } from '../../local/paths.ts';
import { programOf } from '../support/program.ts';

const service = inject('service');
const cloudFormation = new CloudFormationClient(
  clientConfiguration({ endpointUrl: service.endpoint_url, region: service.region }),
);

async function deploy(...args: readonly string[]) {
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: service.endpoint_url,
    AWS_REGION: service.region,
    AWS_ACCESS_KEY_ID: service.access_key_id,
    AWS_SECRET_ACCESS_KEY: service.secret_access_key,
  };
  const program = await programOf('bin/deploy.ts');
  return promisify(execFile)(process.execPath, [program, ...args], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

it('`npm run deploy` stops before CloudFormation, with the sentences that repair what would fail', async () => {
  const { code, stdout, stderr } = await deploy('--stage', 'prod');
  expect(code).toBe(1);
  expect(stderr).toContain('alarms.email: ');
  expect(stderr).toContain('modelPacks: ');
  expect(stdout).not.toContain('SoilBatch-prod');
  const stack = new DescribeStacksCommand({ StackName: stackNames('prod').stateful });
  await expect(cloudFormation.send(stack)).rejects.toThrow('does not exist');
});

it('`npm run deploy` passes its options on to the CDK, for all stacks', async () => {
  const assembly = join(LOCAL_FOLDER, 'deploy', new URL(service.endpoint_url).port, 'cdk.out');
  const { code, stdout, stderr } = await deploy('--stage', 'local', '--app', assembly, '--ci');
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('ok       CDK bootstrap');
  for (const name of Object.values(stackNames('local'))) expect(stdout).toContain(name);
});

it('`npm run deploy` wants to know the stage', async () => {
  expect(await deploy('-c', 'stage=dev')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--stage'),
  });
});
