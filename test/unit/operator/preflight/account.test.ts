import { describe, expect, it } from 'vitest';
import { stageConfig } from '../../../../lib/config/each-stage.ts';
import { parseConfig, type StageConfig } from '../../../../lib/config/stage-config.ts';
import { findings, known, prod, quotaUsesOf } from './settled-account.ts';

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
      'an organisation without IAM users',
      { forbidden: known(['iam:CreateUser']) },
      'organisation',
      /forbids iam:CreateUser/,
    ],
  ])('calls %s wrong', (_, change, about, says) => {
    expect(findings(change).get(about)).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(says),
    });
  });

  it.each([
    ['none', null, 'fine', 'sets one'],
    [
      'that of an earlier deployment',
      'arn:aws:iam::111122223333:role/SoilBatch-dev-Stateless-ApiAccessLogRole-x',
      'fine',
      'SoilBatch-dev',
    ],
    ['that of others', 'arn:aws:iam::111122223333:role/apis-log', 'replaces', 'role/apis-log'],
  ])('says what happens to the log role of API Gateway: %s', (_, role, verdict, says) => {
    const setting: StageConfig = { ...prod, apiLogRole: 'set' };
    expect(findings({ logRole: known(role) }, setting).get('API Gateway log role')).toMatchObject({
      verdict,
      says: expect.stringContaining(says),
    });
  });

  it('requires a log role of API Gateway where the deployment sets none', () => {
    const verdict = (role: string | null) =>
      findings({ logRole: known(role) }).get('API Gateway log role')?.verdict;
    expect(verdict(null)).toBe('wrong');
    expect(verdict('arn:aws:iam::111122223333:role/apis-log')).toBe('fine');
  });

  it('requires what the configuration names: the event bus, the boundary, a web ACL', () => {
    const webAclArn = 'arn:aws:wafv2:us-east-1:111122223333:global/webacl/edge/1';
    const config = parseConfig({
      ...prod,
      eventBus: 'default',
      permissionsBoundary: 'arn:aws:iam::111122223333:policy/Boundary',
      results: { signer: 'cloudfront', webAclArn },
    });
    const verdicts = (exists: boolean) => {
      const read = { eventBus: known(exists), boundary: known(exists), webAcl: known(exists) };
      const found = findings(read, config);
      return ['event bus', 'boundary', 'web ACL of results'].map(
        (about) => found.get(about)?.verdict,
      );
    };
    expect(verdicts(true)).toEqual(['fine', 'fine', 'fine']);
    expect(verdicts(false)).toEqual(['wrong', 'wrong', 'wrong']);
  });

  it.each(['UPDATE_COMPLETE', 'CREATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE'])(
    'deploys over a stack that is %s',
    (status) => {
      const stacks = known({ 'SoilBatch-prod-Stateless': status });
      expect(findings({ stacks }).get('stacks')?.verdict).toBe('fine');
    },
  );

  it('names the signer of results that an organisation allows', () => {
    const cloudfront = parseConfig({ ...prod, results: { signer: 'cloudfront' } });
    const users = known(['iam:CreateUser']);
    const both = known(['iam:CreateUser', 'cloudfront:CreateDistribution']);
    const organisation = (forbidden: typeof both, config: StageConfig) =>
      findings({ forbidden }, config).get('organisation');
    expect(organisation(users, prod)?.says).toMatch(/set results\.signer to 'cloudfront'/);
    expect(organisation(both, prod)?.says).not.toMatch(/set results\.signer/);
    expect(organisation(users, cloudfront)?.verdict).toBe('fine');
    expect(organisation(both, cloudfront)).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(/cloudfront:CreateDistribution/),
    });
  });

  it('reports a bootstrap whose roles may not repair a failed rollback', () => {
    const bootstrap = (version: number) => findings({ bootstrap: known(version) });
    expect(bootstrap(22).get('CDK bootstrap')?.verdict).toBe('raise');
    expect(bootstrap(23).get('CDK bootstrap')?.verdict).toBe('fine');
  });

  it('reports code storage before it is full', () => {
    const functions = known({
      concurrency: 1_000,
      reserved: 0,
      ownReserved: null,
      busiest: 0,
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
    const reason = 'User: arn:aws:iam::111122223333:user/ops is not authorized';
    const unread = { ok: false, reason } as const;
    const quotaUses = quotaUsesOf(prod).map(({ limited }) => ({ limited, use: unread }));
    const all = findings({ functions: unread, quotaUses });
    for (const about of ['Lambda concurrency', 'IAM roles']) {
      expect(all.get(about)).toMatchObject({ verdict: 'unseen', says: reason });
    }
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
    const silent = stageConfig('prod').alarms;
    const findingWith = (alarms: object) =>
      findings({}, parseConfig({ ...prod, alarms: { ...silent, ...alarms } }));
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

  it('is wrong for prod if alarms notify nobody, and fine for dev', () => {
    const verdictFor = (config: StageConfig) =>
      findings({}, config).get('alarm recipients')?.verdict;
    expect(verdictFor(stageConfig('prod'))).toBe('wrong');
    expect(verdictFor(prod)).toBe('fine');
    expect(verdictFor({ ...prod, alarms: { ...prod.alarms, email: 'none' } })).toBe('fine');
    expect(verdictFor(stageConfig('dev'))).toBe('fine');
  });

  it('names the region whose prices are used instead', () => {
    expect(findings({ region: 'sa-east-1' }).get('prices')?.says).toMatch(/sa-east-1.* us-east-1/);
  });
});
