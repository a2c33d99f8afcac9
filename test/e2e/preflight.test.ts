import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import { CreateTopicCommand, SetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';
import { expect, inject, it } from 'vitest';
import * as z from 'zod';
import { readAccount } from '../../bin/preflight/account.ts';
import { checkAccount } from '../../bin/preflight/check-account.ts';
import { stageConfig } from '../../lib/config/each-stage.ts';
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { printedBy } from './operator-command.ts';

const service = inject('service');

const report = z.object({
  stage: z.literal('local'),
  region: z.literal(service.region),
  findings: z.array(z.object({ about: z.string(), verdict: z.string(), says: z.string() })),
});

it('`npm run preflight` reads an account, and reports what it could not read', async () => {
  const { findings } = report.parse(await printedBy('preflight'));
  const of = (about: string) => findings.find((one) => one.about === about);
  expect(of('CDK bootstrap')).toMatchObject({
    verdict: 'fine',
    says: expect.stringMatching(/^version \d+$/),
  });
  expect(of('stacks')?.says).toMatch(/SoilBatch-local-Stateful (CREATE|UPDATE)_COMPLETE/);
  expect(of('Lambda concurrency')?.says).toMatch(/^\d+.* \d+$/);
  expect(of('IAM users')).toMatchObject({ verdict: 'fine' });
  // The emulator has no organisations.
  expect(of('organisation')).toMatchObject({ verdict: 'fine' });
  expect(of('API Gateway log role')).toMatchObject({
    verdict: 'fine',
    says: expect.stringContaining('role/SoilBatch-local-Stateless'),
  });
  // The emulator has no Service Quotas.
  for (const about of ['open map runs', 'state transitions', 'regional APIs']) {
    expect(of(about)?.verdict, about).toBe('unseen');
  }
});

it('checks the policies of an existing alarm topic and its key', async () => {
  const { endpoint_url: endpointUrl, region } = service;
  const place = clientConfiguration({ endpointUrl, region });
  const [sns, kms] = [new SNSClient(place), new KMSClient(place)];
  const { TopicArn = '' } = await sns.send(new CreateTopicCommand({ Name: 'pager' }));
  const local = stageConfig('local');
  const config = { ...local, alarms: { ...local.alarms, topicArn: TopicArn } };
  const finding = async (about: string) => {
    const findings = checkAccount(config, await readAccount(place, region, config));
    return findings.find((one) => one.about === about);
  };
  const set = (AttributeName: string, AttributeValue: string) =>
    sns.send(new SetTopicAttributesCommand({ TopicArn, AttributeName, AttributeValue }));
  const needed = (says = '') => JSON.parse(/\{.*\}$/.exec(says)?.[0] ?? 'null');

  expect(await finding('alarm topic')).toMatchObject({ verdict: 'fine' });
  const plain = { Bool: { 'aws:SecureTransport': 'false' } };
  const deny = {
    Effect: 'Deny',
    Principal: '*',
    Action: 'sns:Publish',
    Resource: TopicArn,
    Condition: plain,
  };
  await set('Policy', JSON.stringify({ Statement: [deny] }));
  const refused = await finding('alarm topic');
  expect(refused).toMatchObject({ verdict: 'wrong' });
  await set('Policy', JSON.stringify({ Statement: [deny, needed(refused?.says)] }));
  expect(await finding('alarm topic')).toMatchObject({ verdict: 'fine' });

  expect(await finding("alarm topic's key")).toBeUndefined();
  const { KeyMetadata } = await kms.send(new CreateKeyCommand({}));
  await set('KmsMasterKeyId', KeyMetadata?.KeyId ?? '');
  expect(await finding("alarm topic's key")).toMatchObject({
    verdict: 'wrong',
    says: expect.stringContaining('kms:Decrypt and kms:GenerateDataKey'),
  });
  config.alarms.topicArn = `${TopicArn}-gone`;
  expect(await finding('alarm topic')).toMatchObject({
    verdict: 'wrong',
    says: `${TopicArn}-gone does not exist`,
  });
});
