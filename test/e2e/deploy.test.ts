import { join } from 'node:path';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { expect, inject, it } from 'vitest';
import { readFailures } from '../../bin/deploy/failures.ts';
import { describeUntried, readUntried } from '../../bin/deploy/untried.ts';
import { listStackNames } from '../../lib/stages.ts';
import { configureClient } from '../../local/emulator/emulator.ts';
import { LOCAL_FOLDER } from '../../local/paths.ts';
import { eventually } from '../support/deployed/eventually.ts';
import { runOnEmulator } from './operator-command.ts';

const service = inject('service');
const cloudFormation = new CloudFormationClient(
  configureClient({ endpointUrl: service.endpoint_url, region: service.region }),
);

it('`npm run deploy` stops before CloudFormation, and explains how to repair what would fail', async () => {
  const { code, stdout, stderr } = await runOnEmulator('deploy', '--stage', 'prod');
  expect(code).toBe(1);
  expect(stderr).toContain('alarms.email: ');
  expect(stderr).toContain('modelPacks: ');
  expect(stdout).not.toContain('SoilBatch-prod');
  const stack = new DescribeStacksCommand({ StackName: listStackNames('prod').stateful });
  await expect(cloudFormation.send(stack)).rejects.toThrow('does not exist');
});

it('`npm run deploy` passes its options on to the CDK, for all stacks', async () => {
  const assembly = join(LOCAL_FOLDER, 'deploy', new URL(service.endpoint_url).port, 'cdk.out');
  const { code, stdout, stderr } = await runOnEmulator(
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
  expect(stdout).toContain(describeUntried(readUntried()));
});

it('`npm run deploy` learns why a resource failed by reading the events of the stacks that exist', async () => {
  const StackName = 'SoilBatch-failing';
  const since = new Date();
  const Resources = { Empty: { Type: 'AWS::CloudWatch::Dashboard', Properties: {} } };
  const TemplateBody = JSON.stringify({ Resources });
  await cloudFormation.send(new CreateStackCommand({ StackName, TemplateBody }));
  const connection = configureClient({ endpointUrl: service.endpoint_url, region: service.region });
  const [reason] = await eventually(
    () => readFailures(connection, [StackName, 'SoilBatch-not-made'], since),
    (reasons) => reasons.length > 0,
  );
  expect(reason).toMatch(/^SoilBatch-failing, .*DashboardBody/);
  expect(await readFailures(connection, [StackName], new Date())).toEqual([]);
  await cloudFormation.send(new DeleteStackCommand({ StackName }));
});

it('`npm run deploy` requires a stage', async () => {
  expect(await runOnEmulator('deploy', '-c', 'stage=dev')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--stage'),
  });
});
