import { readFileSync } from 'node:fs';
import {
  CreateAccessKeyCommand,
  CreateUserCommand,
  IAMClient,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import type { Deployer } from '../../local/deploy.ts';
import { clientConfiguration, type Emulator } from '../../local/emulator/emulator.ts';

/** A user who has the documented policy and nothing else. */
export async function makeDeployer(emulator: Emulator): Promise<Deployer> {
  const iam = new IAMClient(clientConfiguration(emulator));
  const UserName = 'deployer';
  await iam.send(new CreateUserCommand({ UserName }));
  await iam.send(
    new PutUserPolicyCommand({
      UserName,
      PolicyName: 'deployer',
      PolicyDocument: readFileSync('docs/deployer-policy.json', 'utf8'),
    }),
  );
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey } = AccessKey ?? {};
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error('IAM gave no key');
  return { accessKeyId, secretAccessKey };
}
