import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  CreateAccessKeyCommand,
  CreateUserCommand,
  IAMClient,
  PutUserPolicyCommand,
} from '@aws-sdk/client-iam';
import * as z from 'zod';
import type { Deployer } from '../../local/deploy.ts';
import { configureClient, type Emulator } from '../../local/emulator/emulator.ts';

const documented = z.looseObject({ Statement: z.array(z.looseObject({ Sid: z.string() })) });

/** Creates a user with only the documented policies. @param without the statement to leave out */
export async function makeDeployer(emulator: Emulator, without?: string): Promise<Deployer> {
  const iam = new IAMClient(configureClient(emulator));
  const UserName = `deployer-${randomUUID()}`;
  await iam.send(new CreateUserCommand({ UserName }));
  for (const PolicyName of ['deployer', 'operator']) {
    const text = readFileSync(`docs/${PolicyName}-policy.json`, 'utf8');
    const policy = documented.parse(JSON.parse(text));
    const Statement = policy.Statement.filter(({ Sid }) => Sid !== without);
    const PolicyDocument = JSON.stringify({ ...policy, Statement });
    await iam.send(new PutUserPolicyCommand({ UserName, PolicyName, PolicyDocument }));
  }
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName }));
  const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey } = AccessKey ?? {};
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new Error('IAM returned no access key');
  return { accessKeyId, secretAccessKey };
}
