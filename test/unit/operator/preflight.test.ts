import { describe, expect, it } from 'vitest';
import type { Account } from '../../../bin/preflight/account.ts';
import { functionsAtOnce, judge } from '../../../bin/preflight/judge.ts';
import { stageConfig } from '../../../lib/config/each-stage.ts';
import { parseConfig } from '../../../lib/config/stage-config.ts';

const prod = stageConfig('prod');
const seen = <Fact>(fact: Fact) => ({ seen: true, fact }) as const;

/** An account that has been used for a while, with AWS's default quotas. */
const SETTLED: Account = {
  region: 'eu-central-1',
  functions: seen({ concurrency: 1_000, codeBytes: 2e9, maxCodeBytes: 80_530_636_800 }),
  openMapRuns: seen(1_000),
  transitions: seen(800),
  regionalApis: seen(600),
  bootstrap: seen(27),
  users: seen({ used: 3, quota: 5_000 }),
  stacks: seen({}),
};

const judged = (change: Partial<Account> = {}, config = prod) =>
  new Map(judge(config, { ...SETTLED, ...change }).map((one) => [one.about, one]));

describe('the preflight', () => {
  it('finds nothing to do in a settled account', () => {
    const verdicts = [...judged().values()].map(({ verdict }) => verdict);
    expect(new Set(verdicts)).toEqual(new Set(['fine']));
  });

  it('has a new account’s 10 functions raised before anything else is deployed', () => {
    const functions = seen({ concurrency: 10, codeBytes: 0, maxCodeBytes: 80_530_636_800 });
    expect(judged({ functions }).get('functions at once')).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/^10, but .* 900, .* raise Lambda's "Concurrent executions"/),
    });
  });

  it('asks for as many functions as batches, deliveries and the API take: less than AWS gives', () => {
    const { runningBatches, concurrency, webhooks } = prod;
    const predictions = runningBatches.inAll * concurrency.jobs * concurrency.patchBatches;
    expect(functionsAtOnce(prod)).toBeGreaterThanOrEqual(predictions + webhooks.concurrency);
    expect(functionsAtOnce(prod)).toBeLessThan(1_000);
    expect(functionsAtOnce(stageConfig('dev'))).toBeLessThan(1_000);
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
    const functions = seen({ concurrency: 1_000, codeBytes: 70e9, maxCodeBytes: 80e9 });
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

  it('says who is told of alarms, and wants their topic in the alarms’ region', () => {
    const judgedWith = (alarms: object) =>
      judged({}, parseConfig({ ...prod, alarms: { ...prod.alarms, ...alarms } }));
    const told = (alarms: object) => judgedWith(alarms).get('who is told of alarms')?.says;
    const topic = (region: string) => `arn:aws:sns:${region}:111122223333:pager`;
    expect(told({})).toMatch(/^nobody/);
    expect(told({ email: 'ops@example.com' })).toBe('ops@example.com');
    expect(told({ topicArn: topic('eu-central-1') })).toBe(topic('eu-central-1'));
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
