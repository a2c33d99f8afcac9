import { describe, expect, it } from 'vitest';
import { checkBootstrap, chooseBootstrap } from '../../../../bin/preflight/bootstrap.ts';
import { checkCertificate } from '../../../../bin/preflight/certificates.ts';
import { checkConfiguration } from '../../../../bin/preflight/checks.ts';
import {
  type AccountConcurrency,
  checkConcurrency,
  countRequiredConcurrency,
} from '../../../../bin/preflight/concurrency.ts';
import { runCheck } from '../../../../bin/preflight/finding.ts';
import { checkLogRole } from '../../../../bin/preflight/log-role.ts';
import { checkForbidden } from '../../../../bin/preflight/signing-user.ts';
import { readStageConfig } from '../../../../lib/config/each-stage.ts';
import { parseConfig } from '../../../../lib/config/stage-config.ts';

const prod = { ...readStageConfig('prod'), modelPacks: ['meuse-soc'] };

describe('the preflight', () => {
  it('reports why a check could not read its data', async () => {
    const reason = 'User: arn:aws:iam::111122223333:user/ops is not authorized';
    const finding = await runCheck('Lambda concurrency', () => Promise.reject(new Error(reason)));
    expect(finding).toEqual({ about: 'Lambda concurrency', verdict: 'unseen', says: reason });
  });

  it.each([
    [null, 'wrong'],
    [5, 'wrong'],
    [6, 'raise'],
    [22, 'raise'],
    [23, 'fine'],
  ])('rates version %s of the CDK bootstrap stack as %s', (version, verdict) => {
    expect(checkBootstrap(version).verdict).toBe(verdict);
  });

  it('checks the bootstrap stack that all CDK applications share, unless cdk.json names another', () => {
    expect(chooseBootstrap({})).toEqual({ qualifier: 'hnb659fds', stack: 'CDKToolkit' });
    expect(chooseBootstrap({ '@aws-cdk/core:bootstrapQualifier': 'soilbatch' })).toEqual({
      qualifier: 'soilbatch',
      stack: 'CDKToolkit-soilbatch',
    });
  });

  it.each([
    ['set', null, 'fine'],
    ['set', 'arn:aws:iam::111122223333:role/SoilBatch-dev-Stateless-ApiAccessLogRole-x', 'fine'],
    ['set', 'arn:aws:iam::111122223333:role/apis-log', 'replaces'],
    ['keep', null, 'wrong'],
    ['keep', 'arn:aws:iam::111122223333:role/apis-log', 'fine'],
  ] as const)(
    'rates apiLogRole %s with the account’s log role %s as %s',
    (apiLogRole, role, verdict) => {
      expect(checkLogRole({ ...prod, apiLogRole }, role).verdict).toBe(verdict);
    },
  );

  it('fails if an organisation forbids the user that signs results', () => {
    expect(checkForbidden([]).verdict).toBe('fine');
    expect(checkForbidden(['iam:CreateUser'])).toMatchObject({
      verdict: 'wrong',
      says: expect.stringContaining('iam:CreateUser'),
    });
  });

  it('names who is notified of alarms, and fails for prod if the configuration does not say', () => {
    const withAlarms = (alarms: object) =>
      checkConfiguration(
        parseConfig({ ...prod, alarms: { ...prod.alarms, ...alarms } }),
        'eu-central-1',
      );
    expect(withAlarms({}).verdict).toBe('wrong');
    expect(withAlarms({ email: 'none' }).verdict).toBe('fine');
    expect(withAlarms({ email: 'ops@example.com' })).toMatchObject({
      verdict: 'fine',
      says: expect.stringContaining('ops@example.com'),
    });
    const topicArn = 'arn:aws:sns:us-east-1:111122223333:pager';
    expect(withAlarms({ topicArn }).verdict).toBe('wrong');
  });
});

describe('the preflight of Lambda’s concurrency', () => {
  const check = (account: Partial<AccountConcurrency>, stage: 'dev' | 'prod' = 'prod') =>
    checkConcurrency(readStageConfig(stage), {
      limit: 1_000,
      reserved: 0,
      isDeployed: false,
      ...account,
    });

  it('accepts dev in a new account, which has a limit of 10', () => {
    expect(check({ limit: 10 }, 'dev').verdict).toBe('fine');
    const needed = countRequiredConcurrency(readStageConfig('dev'));
    expect(check({ limit: needed - 1 }, 'dev').verdict).toBe('raise');
  });

  it("requires that prod's reservation leaves 100", () => {
    expect(check({}).verdict).toBe('fine');
    expect(check({ limit: 500 }).verdict).toBe('raise');
    expect(check({ limit: 499 }).verdict).toBe('wrong');
    expect(check({ limit: 10 }).says).toMatch(/^10 .* 601: .*\(L-B99A9384\)/);
  });

  it('does not count reservations of other functions as available', () => {
    expect(check({ reserved: 350 }).verdict).toBe('fine');
    expect(check({ reserved: 400 }).verdict).toBe('raise');
  });

  it('counts the stage’s own reservation as available', () => {
    expect(check({ reserved: 400, isDeployed: true }).verdict).toBe('fine');
  });

  it('requires more for the other steps of jobs if concurrency is reserved for predictions', () => {
    const { runningBatches, concurrency } = prod;
    const shared = { ...prod, concurrency: { ...concurrency, reservePredictions: false } };
    expect(countRequiredConcurrency(prod) - countRequiredConcurrency(shared)).toBe(
      runningBatches.inAll * concurrency.jobs,
    );
  });
});

describe('the preflight of a domain’s certificate', () => {
  const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
  const issued = (...names: readonly string[]) => ({ status: 'ISSUED', names });
  const check = (certificate: ReturnType<typeof issued> | null, host = 'v1.example.com') =>
    checkCertificate({ host, certificateArn }, certificate).verdict;

  it('fails if the certificate does not exist, is not issued, or is for other hosts', () => {
    expect(check(null)).toBe('wrong');
    expect(check({ ...issued('v1.example.com'), status: 'PENDING_VALIDATION' })).toBe('wrong');
    expect(check(issued('example.com', 'v2.example.com'))).toBe('wrong');
  });

  it("accepts any of the certificate's names, and an asterisk for a single label", () => {
    expect(check(issued('example.com', 'V1.example.com'))).toBe('fine');
    expect(check(issued('*.example.com'))).toBe('fine');
    expect(check(issued('*.example.com'), 'v1.soil.example.com')).toBe('wrong');
    expect(check(issued('*.example.com'), 'example.com')).toBe('wrong');
  });
});
