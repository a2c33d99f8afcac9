import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { expect, inject, it } from 'vitest';
import { listStackNames } from '../../lib/stages.ts';
import { configureClient } from '../../local/emulator/emulator.ts';
import { LOCAL_FOLDER } from '../../local/paths.ts';
import { onEmulator } from './operator-command.ts';

const service = inject('service');
const cloudFormation = new CloudFormationClient(
  configureClient({ endpointUrl: service.endpoint_url, region: service.region }),
);

it('`npm run deploy` stops before CloudFormation, with the sentences that repair what would fail', async () => {
  const { code, stdout, stderr } = await onEmulator('deploy', '--stage', 'prod');
  expect(code).toBe(1);
  expect(stderr).toContain('alarms.email: ');
  expect(stderr).toContain('modelPacks: ');
  expect(stdout).not.toContain('SoilBatch-prod');
  const stack = new DescribeStacksCommand({ StackName: listStackNames('prod').stateful });
  await expect(cloudFormation.send(stack)).rejects.toThrow('does not exist');
});

it('`npm run deploy` passes its options on to the CDK, for all stacks', async () => {
  const assembly = join(LOCAL_FOLDER, 'deploy', new URL(service.endpoint_url).port, 'cdk.out');
  const { code, stdout, stderr } = await onEmulator(
    'deploy',
    '--stage',
    'local',
    '--app',
    assembly,
    '--ci',
  );
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('ok       CDK bootstrap');
  for (const name of Object.values(listStackNames('local'))) expect(stdout).toContain(name);
});

it('`npm run deploy` wants to know the stage', async () => {
  expect(await onEmulator('deploy', '-c', 'stage=dev')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--stage'),
  });
});
