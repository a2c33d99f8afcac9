import { ACMClient, RequestCertificateCommand } from '@aws-sdk/client-acm';
import { CreateKeyCommand, KMSClient } from '@aws-sdk/client-kms';
import {
  DeleteFunctionConcurrencyCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
} from '@aws-sdk/client-lambda';
import { CreateTopicCommand, SetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';
import { CreateWebACLCommand, WAFV2Client } from '@aws-sdk/client-wafv2';
import { expect, inject, it } from 'vitest';
import * as z from 'zod';
import { resourcesOf } from '../../bin/operator/stack-resources.ts';
import { checkAccount, readAccount } from '../../bin/preflight/account.ts';
import { mayReserve } from '../../bin/preflight/quotas/functions.ts';
import { LIMITED } from '../../bin/preflight/quotas/resource-quotas.ts';
import { stageConfig } from '../../lib/config/each-stage.ts';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { stackNames } from '../../lib/stages.ts';
import { clientConfiguration } from '../../local/emulator/emulator.ts';
import { printedBy } from './operator-command.ts';

const service = inject('service');

const place = clientConfiguration({ endpointUrl: service.endpoint_url, region: service.region });

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
  for (const about of ['IAM roles', 'IAM users', 'regional APIs']) {
    expect(of(about), about).toMatchObject({
      verdict: 'fine',
      says: expect.stringMatching(/^[1-9]\d* of \d+/),
    });
  }
  // The emulator has no organisations.
  expect(of('organisation')).toMatchObject({ verdict: 'fine' });
  expect(of('API Gateway log role')).toMatchObject({
    verdict: 'fine',
    says: expect.stringContaining('role/SoilBatch-local-Stateless'),
  });
  // The emulator has no Service Quotas.
  for (const about of ['open map runs', 'state transitions']) {
    expect(of(about)?.verdict, about).toBe('unseen');
  }
});

it('reads what the deployed stage reserves and has made', async () => {
  const local = stageConfig('local');
  const read = () => readAccount(place, service.region, local);
  const made = await resourcesOf(place, stackNames('local').stateless);
  const predict = made.find(mayReserve)?.physicalId;
  const lambda = new LambdaClient(place);
  const ofPredict = { FunctionName: predict };
  const reserve = { ...ofPredict, ReservedConcurrentExecutions: 50 };
  await lambda.send(new PutFunctionConcurrencyCommand(reserve));
  expect((await read()).functions).toMatchObject({
    ok: true,
    value: { reserved: 50, ownReserved: 50 },
  });
  await lambda.send(new DeleteFunctionConcurrencyCommand(ofPredict));
  const { functions, quotaUses } = await read();
  expect(functions).toMatchObject({ ok: true, value: { reserved: 0, ownReserved: 0 } });
  const apis = quotaUses.find(({ limited }) => limited.about === 'regional APIs')?.use;
  expect(apis).toMatchObject({ ok: true, value: { own: 2 } });
});

it('looks at the certificates and the web ACL that the configuration names, and at the quotas', async () => {
  const certificateIn = async (region: string) => {
    const request = new RequestCertificateCommand({ DomainName: '*.example.com' });
    return (await new ACMClient({ ...place, region }).send(request)).CertificateArn ?? '';
  };
  const v1 = await certificateIn(service.region);
  const VisibilityConfig = {
    MetricName: 'all',
    CloudWatchMetricsEnabled: false,
    SampledRequestsEnabled: false,
  };
  const edge = {
    Name: 'edge',
    Scope: 'CLOUDFRONT',
    DefaultAction: { Allow: {} },
    VisibilityConfig,
  } as const;
  const { Summary } = await new WAFV2Client({ ...place, region: 'us-east-1' }).send(
    new CreateWebACLCommand(edge),
  );
  const config = parseConfig({
    ...stageConfig('local'),
    firewall: 'on',
    domains: {
      v1: { host: 'v1.example.com', certificateArn: v1 },
      v2: { host: 'v2.example.com', certificateArn: `${v1}-gone` },
    },
    results: {
      signer: 'cloudfront',
      domain: { host: 'results.example.org', certificateArn: await certificateIn('us-east-1') },
      webAclArn: Summary?.ARN,
    },
  });
  const findings = checkAccount(config, await readAccount(place, service.region, config));
  const verdicts = new Map(findings.map(({ about, verdict }) => [about, verdict]));
  expect(verdicts.get('certificate of v1')).toBe('fine');
  expect(verdicts.get('certificate of v2')).toBe('wrong');
  expect(verdicts.get('certificate of results')).toBe('wrong');
  expect(verdicts.get('web ACL of results')).toBe('fine');
  const limited = LIMITED.filter((one) => one.in(config)).map(({ about }) => about);
  expect(limited.map((about) => [about, verdicts.get(about)])).toEqual(
    limited.map((about) => [about, 'fine']),
  );
});

it('checks the policies of an existing alarm topic and its key', async () => {
  const { region } = service;
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
