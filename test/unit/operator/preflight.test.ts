import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Account } from '../../../bin/preflight/account.ts';
import type { AlarmTopic } from '../../../bin/preflight/alarm-topic.ts';
import {
  type Concurrency,
  FEWEST_FUNCTIONS,
  fittingTo,
  functionsAtOnce,
} from '../../../bin/preflight/concurrency.ts';
import { judge } from '../../../bin/preflight/judge.ts';
import { stageConfig } from '../../../lib/config/each-stage.ts';
import { parseConfig } from '../../../lib/config/stage-config.ts';

const prod = stageConfig('prod');
const seen = <Fact>(fact: Fact) => ({ seen: true, fact }) as const;

/** An account that has been used for a while, with AWS's default quotas. */
const SETTLED: Account = {
  region: 'eu-central-1',
  functions: seen({
    concurrency: 1_000,
    reserved: 0,
    codeBytes: 2e9,
    maxCodeBytes: 80_530_636_800,
  }),
  openMapRuns: seen(1_000),
  transitions: seen(800),
  regionalApis: seen(600),
  bootstrap: seen(27),
  users: seen({ used: 3, quota: 5_000 }),
  stacks: seen({}),
  alarmTopic: seen(null),
};

const judged = (change: Partial<Account> = {}, config = prod) =>
  new Map(judge(config, { ...SETTLED, ...change }).map((one) => [one.about, one]));

describe('the preflight', () => {
  it('finds nothing to do in a settled account', () => {
    const verdicts = [...judged().values()].map(({ verdict }) => verdict);
    expect(new Set(verdicts)).toEqual(new Set(['fine']));
  });

  it.each([
    ['no bootstrap', { bootstrap: seen(null) }, 'CDK bootstrap', /npx cdk bootstrap/],
    ['an old bootstrap', { bootstrap: seen(5) }, 'CDK bootstrap', /version 5 is older than 6/],
    [
      'a first deployment that failed',
      { stacks: seen({ 'SoilBatch-prod-Stateful': 'ROLLBACK_COMPLETE' }) },
      'stacks',
      /SoilBatch-prod-Stateful ROLLBACK_COMPLETE/,
    ],
    [
      'a deployment under way',
      { stacks: seen({ 'SoilBatch-prod-Stateless': 'UPDATE_IN_PROGRESS' }) },
      'stacks',
      /UPDATE_IN_PROGRESS/,
    ],
    [
      'as many IAM users as there may be',
      { users: seen({ used: 9, quota: 9 }) },
      'IAM users',
      /9 of 9/,
    ],
    ['room for one API', { regionalApis: seen(1) }, 'regional APIs', /a stage makes 2/],
  ])('calls %s wrong', (_, change, about, says) => {
    expect(judged(change).get(about)).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(says),
    });
  });

  it.each(['UPDATE_COMPLETE', 'CREATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'])(
    'deploys over a stack that is %s',
    (status) => {
      const stacks = seen({ 'SoilBatch-prod-Stateless': status });
      expect(judged({ stacks }).get('stacks')?.verdict).toBe('fine');
    },
  );

  it('has old versions deleted before the code storage is full', () => {
    const functions = seen({
      concurrency: 1_000,
      reserved: 0,
      codeBytes: 70e9,
      maxCodeBytes: 80e9,
    });
    expect(judged({ functions }).get('code storage')?.verdict).toBe('raise');
  });

  it('has map runs raised where fewer are allowed than batches may run', () => {
    expect(judged({ openMapRuns: seen(15) }).get('open map runs')).toMatchObject({
      verdict: 'raise',
      says: `15, but ${prod.runningBatches.inAll} batches may run at a time`,
    });
  });

  it('has a new account’s few state transitions raised', () => {
    expect(judged({ transitions: seen(25) }).get('state transitions')).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/^25 a second, where most accounts have 800/),
    });
    expect(judged({ transitions: seen(null) }).get('state transitions')?.verdict).toBe('fine');
  });

  it('says why something was not seen, and judges the rest', () => {
    const why =
      'User: arn:aws:iam::111122223333:user/ops is not authorized to perform: iam:GetAccountSummary';
    const all = judged({ users: { seen: false, why } });
    expect(all.get('IAM users')).toMatchObject({ verdict: 'unseen', says: why });
    expect(all.get('CDK bootstrap')?.verdict).toBe('fine');
  });

  it('wants certificates in the region of the APIs', () => {
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
    expect(judged({}, config).get('region')).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(
        /^not of eu-central-1, .*: domains\.v1\.certificateArn \(us-east-1\)$/,
      ),
    });
  });

  it('reports the alarm recipients, and requires the topic in the region of the alarms', () => {
    const judgedWith = (alarms: object) =>
      judged({}, parseConfig({ ...prod, alarms: { ...prod.alarms, ...alarms } }));
    const recipients = (alarms: object) => judgedWith(alarms).get('alarm recipients')?.says;
    const topic = (region: string) => `arn:aws:sns:${region}:111122223333:pager`;
    expect(recipients({})).toMatch(/^nobody/);
    expect(recipients({ email: 'ops@example.com' })).toBe('ops@example.com');
    expect(recipients({ topicArn: topic('eu-central-1') })).toBe(topic('eu-central-1'));
    expect(judgedWith({ topicArn: topic('eu-central-1') }).get('region')?.verdict).toBe('fine');
    expect(judgedWith({ topicArn: topic('us-east-1') }).get('region')).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(/alarms\.topicArn \(us-east-1\)$/),
    });
  });

  it('names the region whose prices stand in', () => {
    expect(judged({ region: 'sa-east-1' }).get('prices')?.says).toMatch(/sa-east-1 .* us-east-1/);
  });
});

describe('the preflight of an account with few functions at once', () => {
  const judgedWith = (concurrency: number, stage: 'dev' | 'prod' = 'prod', reserved = 0) => {
    const functions = seen({ concurrency, reserved, codeBytes: 0, maxCodeBytes: 80_530_636_800 });
    return judged({ functions }, stageConfig(stage)).get('functions at once');
  };

  it('finds dev fine in a new account, which has 10', () => {
    expect(judgedWith(10, 'dev')).toMatchObject({ verdict: 'fine' });
    expect(judgedWith(functionsAtOnce(stageConfig('dev')) - 1, 'dev')?.verdict).toBe('raise');
  });

  it('names the quota to raise for prod, and the values that fit without', () => {
    const { verdict, says } = judgedWith(10) ?? {};
    expect(verdict).toBe('raise');
    expect(says).toBe(
      '10, but the stage uses up to 901: it deploys, but the API refuses requests and jobs wait for hours; ' +
        'raise Lambda\'s "Concurrent executions" (L-B99A9384), or set in lib/config/each-stage.ts ' +
        'runningBatches.inAll: 2, runningBatches.perTenant: 2, concurrency.jobs: 1, ' +
        'concurrency.patchBatches: 2, webhooks.concurrency: 2, throttling.requestsPerSecond: 12, ' +
        'throttling.burst: 24, throttling.creations.requestsPerSecond: 12, throttling.creations.burst: 24',
    );
  });

  it('does not count what others have reserved', () => {
    expect(judgedWith(1_000, 'prod', 50)).toMatchObject({
      verdict: 'fine',
      says: '950 of 1000 not reserved by others, of which the stage uses 901 at most',
    });
    expect(judgedWith(1_000, 'prod', 100)).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/^900 of 1000 not reserved by others, but .* up to 901/),
    });
  });

  it('names no values where none fit', () => {
    expect(judgedWith(FEWEST_FUNCTIONS - 1)).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/: fewer than 5 are too few$/),
    });
  });

  it('counts predictions, deliveries and requests, which stay under AWS’s default in every stage', () => {
    const { runningBatches, concurrency, webhooks } = prod;
    const predictions = runningBatches.inAll * concurrency.jobs * concurrency.patchBatches;
    expect(functionsAtOnce(prod)).toBeGreaterThanOrEqual(predictions + webhooks.concurrency);
    expect(functionsAtOnce(prod)).toBeLessThan(1_000);
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

  it('names values that fit, are valid, and are nowhere larger than those they replace', () => {
    fc.assert(
      fc.property(stages, fc.integer({ min: FEWEST_FUNCTIONS, max: 3_000 }), (stage, quota) => {
        const fitting = fittingTo(quota, stage);
        expect(fitting).not.toBeNull();
        if (fitting === null) return;
        expect(functionsAtOnce(fitting)).toBeLessThanOrEqual(quota);
        const webhooks = { ...prod.webhooks, ...fitting.webhooks };
        expect(() => parseConfig({ ...prod, ...fitting, webhooks })).not.toThrow();
        expect(fitting.runningBatches.inAll).toBeLessThanOrEqual(stage.runningBatches.inAll);
        expect(fitting.concurrency.jobs).toBeLessThanOrEqual(stage.concurrency.jobs);
        expect(fitting.webhooks.concurrency).toBeLessThanOrEqual(stage.webhooks.concurrency);
      }),
    );
  });
});

describe('the preflight of an alarm topic that exists', () => {
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
    seen({
      arn,
      account,
      attributes: {
        policy: { Statement: [allow('sns:Publish', arn)] },
        key: seen(key),
        ...attributes,
      },
    });

  it('is silent where none is configured', () => {
    expect([...judged().keys()].filter((about) => about.startsWith('alarm topic'))).toEqual([]);
  });

  it('finds nothing to do where CloudWatch may publish and use the key', () => {
    const all = judged({ alarmTopic: topic() });
    expect(all.get('alarm topic')?.verdict).toBe('fine');
    expect(all.get("alarm topic's key")?.verdict).toBe('fine');
    expect(judged({ alarmTopic: topic({ key: null }) }).has("alarm topic's key")).toBe(false);
  });

  it('says which statement a policy of denials alone lacks', () => {
    const policy = {
      Statement: {
        Effect: 'Deny',
        Principal: '*',
        Action: 'sns:Publish',
        Resource: arn,
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    };
    const { verdict, says } = judged({ alarmTopic: topic({ policy }) }).get('alarm topic') ?? {};
    expect(verdict).toBe('wrong');
    const [, needed] = /Add (\{.*\})$/.exec(says ?? '') ?? [];
    expect(JSON.parse(needed ?? '')).toEqual(allow(['sns:Publish'], arn));
    const repaired = { Statement: [policy.Statement, JSON.parse(needed ?? '')] };
    expect(judged({ alarmTopic: topic({ policy: repaired }) }).get('alarm topic')?.verdict).toBe(
      'fine',
    );
  });

  it('calls a topic that does not exist wrong', () => {
    const alarmTopic = seen({ arn, account, attributes: null });
    expect(judged({ alarmTopic }).get('alarm topic')).toMatchObject({
      verdict: 'wrong',
      says: `${arn} does not exist`,
    });
  });

  it.each([
    ['AWS manages', { manager: 'AWS' }, /^AWS manages it/],
    ['is disabled', { state: 'Disabled' }, /is Disabled$/],
    ['CloudWatch may not use', { policy: { Statement: [] } }, /does not allow CloudWatch kms:/],
    [
      'CloudWatch may use in part',
      { policy: { Statement: [allow('kms:Decrypt', '*')] } },
      /does not allow CloudWatch kms:/,
    ],
  ])('calls a key wrong that %s', (_, change, says) => {
    const alarmTopic = topic({ key: seen({ ...key, ...change }) });
    expect(judged({ alarmTopic }).get("alarm topic's key")).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(says),
    });
  });

  it('says what it could not see', () => {
    const why = 'not authorized to perform: kms:GetKeyPolicy';
    const alarmTopic = topic({ key: { seen: false, why } });
    expect(judged({ alarmTopic }).get("alarm topic's key")).toMatchObject({
      verdict: 'unseen',
      says: why,
    });
    expect(judged({ alarmTopic: { seen: false, why } }).get('alarm topic')?.verdict).toBe('unseen');
  });
});
