import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Account } from '../../../bin/preflight/account.ts';
import type { AlarmTopic } from '../../../bin/preflight/alarm-topic.ts';
import { checkAccount } from '../../../bin/preflight/check-account.ts';
import {
  type Concurrency,
  fitToQuota,
  MIN_CONCURRENCY,
  requiredConcurrency,
} from '../../../bin/preflight/concurrency.ts';
import { stageConfig } from '../../../lib/config/each-stage.ts';
import { parseConfig } from '../../../lib/config/stage-config.ts';

const prod = stageConfig('prod');
const known = <Value>(value: Value) => ({ ok: true, value }) as const;

/** An account that has been used for a while, with AWS's default quotas. */
const SETTLED: Account = {
  region: 'eu-central-1',
  functions: known({
    concurrency: 1_000,
    reserved: 0,
    codeBytes: 2e9,
    maxCodeBytes: 80_530_636_800,
  }),
  openMapRuns: known(1_000),
  transitions: known(800),
  regionalApis: known(600),
  bootstrap: known(27),
  users: known({ used: 3, quota: 5_000 }),
  stacks: known({}),
  alarmTopic: known(null),
};

const findings = (change: Partial<Account> = {}, config = prod) =>
  new Map(checkAccount(config, { ...SETTLED, ...change }).map((one) => [one.about, one]));

describe('the preflight', () => {
  it('finds nothing to do in a settled account', () => {
    const verdicts = [...findings().values()].map(({ verdict }) => verdict);
    expect(new Set(verdicts)).toEqual(new Set(['fine']));
  });

  it.each([
    ['no bootstrap', { bootstrap: known(null) }, 'CDK bootstrap', /npx cdk bootstrap/],
    ['an old bootstrap', { bootstrap: known(5) }, 'CDK bootstrap', /version 5 is older than 6/],
    [
      'a first deployment that failed',
      { stacks: known({ 'SoilBatch-prod-Stateful': 'ROLLBACK_COMPLETE' }) },
      'stacks',
      /SoilBatch-prod-Stateful ROLLBACK_COMPLETE/,
    ],
    [
      'a deployment under way',
      { stacks: known({ 'SoilBatch-prod-Stateless': 'UPDATE_IN_PROGRESS' }) },
      'stacks',
      /UPDATE_IN_PROGRESS/,
    ],
    [
      'the maximum number of IAM users',
      { users: known({ used: 9, quota: 9 }) },
      'IAM users',
      /9 of 9/,
    ],
    ['room for one API', { regionalApis: known(1) }, 'regional APIs', /1.* has 2/],
  ])('calls %s wrong', (_, change, about, says) => {
    expect(findings(change).get(about)).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(says),
    });
  });

  it.each(['UPDATE_COMPLETE', 'CREATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'])(
    'deploys over a stack that is %s',
    (status) => {
      const stacks = known({ 'SoilBatch-prod-Stateless': status });
      expect(findings({ stacks }).get('stacks')?.verdict).toBe('fine');
    },
  );

  it('reports code storage before it is full', () => {
    const functions = known({
      concurrency: 1_000,
      reserved: 0,
      codeBytes: 70e9,
      maxCodeBytes: 80e9,
    });
    expect(findings({ functions }).get('code storage')?.verdict).toBe('raise');
  });

  it('reports a quota of map runs below the number of running batches', () => {
    expect(findings({ openMapRuns: known(15) }).get('open map runs')).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(`^15;.* ${prod.runningBatches.inAll} `),
    });
  });

  it('reports the low quota of state transitions of a new account', () => {
    expect(findings({ transitions: known(25) }).get('state transitions')).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/^25 .*\b800\b/),
    });
    expect(findings({ transitions: known(null) }).get('state transitions')?.verdict).toBe('fine');
  });

  it('reports why a read failed, and checks the rest', () => {
    const reason =
      'User: arn:aws:iam::111122223333:user/ops is not authorized to perform: iam:GetAccountSummary';
    const all = findings({ users: { ok: false, reason } });
    expect(all.get('IAM users')).toMatchObject({ verdict: 'unseen', says: reason });
    expect(all.get('CDK bootstrap')?.verdict).toBe('fine');
  });

  it('requires certificates in the region of the APIs', () => {
    const domain = (host: string, region: string) => ({
      host,
      certificateArn: `arn:aws:acm:${region}:111122223333:certificate/x`,
    });
    const config = parseConfig({
      ...prod,
      domains: {
        v1: domain('v1.example.com', 'us-east-1'),
        v2: domain('v2.example.com', 'eu-central-1'),
      },
    });
    expect(findings({}, config).get('region')).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(/eu-central-1.*: domains\.v1\.certificateArn \(us-east-1\)$/),
    });
  });

  it('reports the alarm recipients, and requires the topic in the region of the alarms', () => {
    const findingWith = (alarms: object) =>
      findings({}, parseConfig({ ...prod, alarms: { ...prod.alarms, ...alarms } }));
    const recipients = (alarms: object) => findingWith(alarms).get('alarm recipients')?.says;
    const topic = (region: string) => `arn:aws:sns:${region}:111122223333:pager`;
    expect(recipients({})).toMatch(/alarms\.email or alarms\.topicArn/);
    expect(recipients({ email: 'ops@example.com' })).toBe('ops@example.com');
    expect(recipients({ topicArn: topic('eu-central-1') })).toBe(topic('eu-central-1'));
    expect(findingWith({ topicArn: topic('eu-central-1') }).get('region')?.verdict).toBe('fine');
    expect(findingWith({ topicArn: topic('us-east-1') }).get('region')).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(/alarms\.topicArn \(us-east-1\)$/),
    });
  });

  it('names the region whose prices are used instead', () => {
    expect(findings({ region: 'sa-east-1' }).get('prices')?.says).toMatch(/sa-east-1.* us-east-1/);
  });
});

describe('the preflight of an account with low Lambda concurrency', () => {
  const findingWith = (concurrency: number, stage: 'dev' | 'prod' = 'prod', reserved = 0) => {
    const functions = known({ concurrency, reserved, codeBytes: 0, maxCodeBytes: 80_530_636_800 });
    return findings({ functions }, stageConfig(stage)).get('Lambda concurrency');
  };

  it('finds dev fine in a new account, which has 10', () => {
    expect(findingWith(10, 'dev')).toMatchObject({ verdict: 'fine' });
    expect(findingWith(requiredConcurrency(stageConfig('dev')) - 1, 'dev')?.verdict).toBe('raise');
  });

  it('names the quota to raise for prod, and the values that fit the present quota', () => {
    const { verdict, says } = findingWith(10) ?? {};
    expect(verdict).toBe('raise');
    expect(says).toMatch(/^10;.* 901:.* \(L-B99A9384\)/);
    expect(says?.replace(/.* lib\/config\/each-stage\.ts /, '')).toBe(
      'runningBatches.inAll: 2, runningBatches.perTenant: 2, concurrency.jobs: 1, ' +
        'concurrency.patchBatches: 2, webhooks.concurrency: 2, throttling.requestsPerSecond: 12, ' +
        'throttling.burst: 24, throttling.creations.requestsPerSecond: 12, throttling.creations.burst: 24',
    );
  });

  it('does not count what other functions have reserved', () => {
    expect(findingWith(1_000, 'prod', 50)).toMatchObject({
      verdict: 'fine',
      says: expect.stringMatching(/^950 .*\b1000\b.*\b50\b.*\b901\b/),
    });
    expect(findingWith(1_000, 'prod', 100)).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/^900 .*\b1000\b.*\b100\b.*\b901\b/),
    });
  });

  it('suggests no values if none fit', () => {
    expect(findingWith(MIN_CONCURRENCY - 1)).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/\(L-B99A9384\).* 5$/),
    });
  });

  it('counts predictions, deliveries and requests, which stay under AWS’s default in every stage', () => {
    const { runningBatches, concurrency, webhooks } = prod;
    const predictions = runningBatches.inAll * concurrency.jobs * concurrency.patchBatches;
    expect(requiredConcurrency(prod)).toBeGreaterThanOrEqual(predictions + webhooks.concurrency);
    expect(requiredConcurrency(prod)).toBeLessThan(1_000);
  });

  const rate = (most: number) =>
    fc.record({
      requestsPerSecond: fc.integer({ min: 1, max: most }),
      burst: fc.integer({ min: 1, max: most }),
    });
  const stages: fc.Arbitrary<Concurrency> = fc
    .record({
      inAll: fc.integer({ min: 1, max: 1_000 }),
      perTenant: fc.integer({ min: 1, max: 1_000 }),
      jobs: fc.integer({ min: 1, max: 1_000 }),
      patchBatches: fc.integer({ min: 1, max: 40 }),
      deliveries: fc.integer({ min: 2, max: 1_000 }),
      api: rate(5_000),
      creations: rate(5_000),
    })
    .map(({ inAll, perTenant, jobs, patchBatches, deliveries, api, creations }) => ({
      runningBatches: { inAll, perTenant: Math.min(perTenant, inAll) },
      concurrency: { jobs, patchBatches },
      webhooks: { concurrency: deliveries },
      throttling: { ...api, creations },
    }));

  it('suggests values that fit, are valid, and never exceed those they replace', () => {
    fc.assert(
      fc.property(stages, fc.integer({ min: MIN_CONCURRENCY, max: 3_000 }), (stage, quota) => {
        const fitting = fitToQuota(quota, stage);
        expect(fitting).not.toBeNull();
        if (fitting === null) return;
        expect(requiredConcurrency(fitting)).toBeLessThanOrEqual(quota);
        const webhooks = { ...prod.webhooks, ...fitting.webhooks };
        expect(() => parseConfig({ ...prod, ...fitting, webhooks })).not.toThrow();
        expect(fitting.runningBatches.inAll).toBeLessThanOrEqual(stage.runningBatches.inAll);
        expect(fitting.concurrency.jobs).toBeLessThanOrEqual(stage.concurrency.jobs);
        expect(fitting.webhooks.concurrency).toBeLessThanOrEqual(stage.webhooks.concurrency);
      }),
    );
  });
});

describe('the preflight of an existing alarm topic', () => {
  const arn = 'arn:aws:sns:eu-central-1:111122223333:pager';
  const account = '444455556666';
  const allow = (Action: string | readonly string[], Resource: string) => ({
    Effect: 'Allow',
    Principal: { Service: 'cloudwatch.amazonaws.com' },
    Action,
    Resource,
    Condition: { StringEquals: { 'aws:SourceAccount': account } },
  });
  const key = {
    arn: 'arn:aws:kms:eu-central-1:111122223333:key/1',
    manager: 'CUSTOMER',
    state: 'Enabled',
    policy: { Statement: [allow(['kms:Decrypt', 'kms:GenerateDataKey*'], '*')] },
  };
  type Attributes = NonNullable<AlarmTopic['attributes']>;
  const topic = (attributes: Partial<Attributes> = {}) =>
    known({
      arn,
      account,
      attributes: {
        policy: { Statement: [allow('sns:Publish', arn)] },
        key: known(key),
        ...attributes,
      },
    });

  it('reports nothing if none is configured', () => {
    expect([...findings().keys()].filter((about) => about.startsWith('alarm topic'))).toEqual([]);
  });

  it('finds nothing to do where CloudWatch may publish and use the key', () => {
    const all = findings({ alarmTopic: topic() });
    expect(all.get('alarm topic')?.verdict).toBe('fine');
    expect(all.get("alarm topic's key")?.verdict).toBe('fine');
    expect(findings({ alarmTopic: topic({ key: null }) }).has("alarm topic's key")).toBe(false);
  });

  it('prints the statement that is missing in a policy of denials only', () => {
    const policy = {
      Statement: {
        Effect: 'Deny',
        Principal: '*',
        Action: 'sns:Publish',
        Resource: arn,
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    };
    const { verdict, says } = findings({ alarmTopic: topic({ policy }) }).get('alarm topic') ?? {};
    expect(verdict).toBe('wrong');
    const [, needed] = /Add (\{.*\})$/.exec(says ?? '') ?? [];
    expect(JSON.parse(needed ?? '')).toEqual(allow(['sns:Publish'], arn));
    const repaired = { Statement: [policy.Statement, JSON.parse(needed ?? '')] };
    expect(findings({ alarmTopic: topic({ policy: repaired }) }).get('alarm topic')?.verdict).toBe(
      'fine',
    );
  });

  it('calls a topic that does not exist wrong', () => {
    const alarmTopic = known({ arn, account, attributes: null });
    expect(findings({ alarmTopic }).get('alarm topic')).toMatchObject({
      verdict: 'wrong',
      says: `${arn} does not exist`,
    });
  });

  it.each([
    ['AWS manages', { manager: 'AWS' }, /AWS managed/],
    ['is disabled', { state: 'Disabled' }, /is Disabled$/],
    ['CloudWatch may not use', { policy: { Statement: [] } }, /does not allow CloudWatch kms:/],
    [
      'CloudWatch may use in part',
      { policy: { Statement: [allow('kms:Decrypt', '*')] } },
      /does not allow CloudWatch kms:/,
    ],
  ])('calls a key wrong that %s', (_, change, says) => {
    const alarmTopic = topic({ key: known({ ...key, ...change }) });
    expect(findings({ alarmTopic }).get("alarm topic's key")).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(says),
    });
  });

  it('reports what it could not read', () => {
    const reason = 'not authorized to perform: kms:GetKeyPolicy';
    const alarmTopic = topic({ key: { ok: false, reason } });
    expect(findings({ alarmTopic }).get("alarm topic's key")).toMatchObject({
      verdict: 'unseen',
      says: reason,
    });
    expect(findings({ alarmTopic: { ok: false, reason } }).get('alarm topic')?.verdict).toBe(
      'unseen',
    );
  });
});
