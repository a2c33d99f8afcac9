import { describe, expect, it } from 'vitest';
import { countRequiredConcurrency } from '../../bin/preflight/concurrency.ts';
import { requireDeployable } from '../../lib/config/deployable.ts';
import { chooseJobsAtOnce, readStageConfig } from '../../lib/config/each-stage.ts';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { PROD } from '../support/infra/prod.ts';
import { readRegionalTypes } from './resource-schemas.ts';

const { throttling } = readStageConfig('dev');
const [OSM = expect.fail('no background')] = readStageConfig('dev').console.backgrounds;

const changeConfig = (change: object) => () =>
  parseConfig({ ...readStageConfig('dev'), ...change });

describe('the configuration of a stage', () => {
  it('is the configuration of dev when no stage is named', () => {
    expect(readStageConfig(undefined).stage).toBe('dev');
  });

  it('is rejected with a list of the stages if the stage is unknown', () => {
    expect(() => readStageConfig('production')).toThrow(/"production".*local, dev, prod/);
  });

  it.each(['local', 'dev', 'prod'])('is valid for %s', (stage) => {
    expect(parseConfig(readStageConfig(stage))).toEqual(readStageConfig(stage));
  });

  it.each([
    ['local', ['meuse-soc', 'deployment-check']],
    ['dev', ['meuse-soc', 'deployment-check']],
    ['prod', []],
  ])('lists the default pack first, and no packs in prod: %s has %j', (stage, packs) => {
    expect(readStageConfig(stage).modelPacks).toEqual(packs);
  });

  it('fits a new account, whose Lambda concurrency is 10, if the stage is dev', () => {
    expect(countRequiredConcurrency(readStageConfig('dev'))).toBeLessThanOrEqual(10);
  });

  it.each([
    [1, 1],
    [2, 1],
    [8, 4],
    [64, 4],
  ])(
    'runs one job of a batch per two cores in local, but at least one and at most four: on %i cores, %i',
    (cores, jobs) => {
      expect(chooseJobsAtOnce(cores)).toBe(jobs);
    },
  );

  it.each(['dev', 'prod'])('cannot change the schedule of deliveries for %s', (stage) => {
    const config = readStageConfig(stage);
    const hurried = { ...config, webhooks: { ...config.webhooks, scheduleFactor: 0.1 } };
    expect(() => parseConfig(hurried)).toThrow('webhooks.scheduleFactor: must be 1');
    expect(config.webhooks.scheduleFactor).toBe(1);
  });

  it('may speed up the schedule of deliveries for local, but not slow it down', () => {
    const local = readStageConfig('local');
    const at = (scheduleFactor: number) =>
      parseConfig({ ...local, webhooks: { ...local.webhooks, scheduleFactor } });
    expect(at(0.1).webhooks.scheduleFactor).toBe(0.1);
    expect(() => at(2)).toThrow('webhooks.scheduleFactor: ');
    expect(local.webhooks.scheduleFactor).toBe(1);
  });

  it.each([
    ['retentionDays', { retentionDays: 9 }],
    ['logRetentionDays', { logRetentionDays: 10 }],
    ['modelPacks.0', { modelPacks: ['../secret'] }],
    ['concurrency.jobs', { concurrency: { jobs: 1_001, patchBatches: 1 } }],
    [
      'covariateRequests.contact',
      { covariateRequests: { atOnce: 4, perSecond: 20, contact: 'the GIS team' } },
    ],
    [
      'webhooks.schemes',
      { webhooks: { schemes: ['ftp'], privateReceivers: 'refuse', concurrency: 2 } },
    ],
    [
      'webhooks.concurrency',
      { webhooks: { schemes: ['https'], privateReceivers: 'refuse', concurrency: 1 } },
    ],
    ['runningBatches.perTenant', { runningBatches: { inAll: 5, perTenant: 6 } }],
    ['runningBatches.perTenant', { runningBatches: { inAll: 5, reserved: 1, perTenant: 5 } }],
    ['runningBatches.reserved', { runningBatches: { inAll: 5, reserved: -1, perTenant: 5 } }],
    [
      'throttling.creations.requestsPerSecond',
      { throttling: { ...throttling, creations: { requestsPerSecond: 0, burst: 1 } } },
    ],
    ['corsOrigins.0', { corsOrigins: ['https://app.example.com/'] }],
    ['corsOrigins.0', { corsOrigins: ['*'] }],
    ['destinationAccounts.0', { destinationAccounts: ['arn:aws:iam::111122223333:root'] }],
    ['destinationAccounts.0', { destinationAccounts: [111122223333] }],
    ['alarms.email', { alarms: { ...readStageConfig('dev').alarms, email: 'nobody' } }],
    ['alarms.topicArn', { alarms: { ...readStageConfig('dev').alarms, topicArn: 'my-topic' } }],
    ['eventBus', { eventBus: 'my-bus' }],
    [
      'alarms.runbookUrl',
      { alarms: { ...readStageConfig('dev').alarms, runbookUrl: 'https://x/' } },
    ],
    ['baseUrls.v2', { baseUrls: { v1: 'https://one.example', v2: 'https://two.example/' } }],
    ...(
      [
        ['0.url', [{ ...OSM, url: 'http://tiles.example/{z}/{x}/{y}.png' }]],
        ['0.url', [{ ...OSM, url: 'https://tiles.example; script-src *' }]],
        ['0.url', [{ ...OSM, url: 'https://tiles.example:99999/{z}/{x}/{y}.png' }]],
        ['0.url', [{ ...OSM, url: 'https://tiles.example/{z}.png' }]],
        ['0.attribution', [{ ...OSM, attribution: '' }]],
        ['0.maxZoom', [{ ...OSM, maxZoom: 25 }]],
      ] as const
    ).map(([key, backgrounds]): [string, object] => [
      `console.backgrounds.${key}`,
      { console: { backgrounds } },
    ]),
    ['console.backgrounds', { console: { backgrounds: [OSM, OSM] } }],
  ])('is rejected with the key %s when its value is not allowed', (key, change) => {
    expect(changeConfig(change)).toThrow(`${key}: `);
  });

  it('lists the origins whose pages may read responses, by default none in dev and prod', () => {
    for (const stage of ['dev', 'prod']) expect(readStageConfig(stage).corsOrigins).toEqual([]);
    expect(readStageConfig('local').corsOrigins).toContain('http://localhost:5173');
    const corsOrigins = ['https://app.example.com', 'http://localhost:5173'];
    expect(changeConfig({ corsOrigins })().corsOrigins).toEqual(corsOrigins);
    expect(changeConfig({ corsOrigins: 'any' })().corsOrigins).toBe('any');
  });

  it('is rejected with the name and type of a missing key', () => {
    expect(changeConfig({ retentionDays: undefined })).toThrow(
      /retentionDays: .*expected number, but it is missing/,
    );
  });

  it('is rejected with the name of a resource in a different Region from the stacks', () => {
    const certificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/x';
    const config = parseConfig({
      ...readStageConfig('dev'),
      domains: {
        v1: { host: 'v1.example.com', certificateArn },
        v2: { host: 'v2.example.com', certificateArn },
      },
    });
    expect(() => requireDeployable(config, 'eu-central-1')).toThrow(
      /domains\.v1\.certificateArn: must be in eu-central-1.*\n.*domains\.v2\.certificateArn/,
    );
    expect(() => requireDeployable(config, 'us-east-1')).not.toThrow();
    expect(() => requireDeployable(config, undefined)).not.toThrow();
  });

  it('accepts a budget only where CloudFormation can create budgets', () => {
    const config = changeConfig({ budget: { dollarsAMonth: 50, email: 'ops@example.com' } })();
    expect(changeConfig({ budget: { dollarsAMonth: 0, email: 'ops@example.com' } })).toThrow(
      'budget',
    );
    for (const [region, types] of readRegionalTypes()) {
      const deploying = expect(() => requireDeployable(config, region), region);
      if (types.has('AWS::Budgets::Budget')) deploying.not.toThrow();
      else deploying.toThrow(/budget: /);
    }
  });

  it('must choose model packs for prod; without them, an error lists the packs with their licenses', () => {
    const deploying = (modelPacks: readonly string[]) =>
      requireDeployable(parseConfig({ ...PROD, modelPacks }), undefined);
    expect(() => deploying(readStageConfig('prod').modelPacks)).toThrow(
      /modelPacks: .*meuse-soc \(GPL-2\.0-or-later\), openlandmap-soc \(CC-BY-4\.0\)/,
    );
    expect(() => deploying(['openlandmap-soc'])).not.toThrow();
  });

  it('must state for prod who is notified of alarms, or that nobody is', () => {
    const silent = readStageConfig('prod').alarms;
    const deploying = (alarms: object, stage = 'prod') =>
      requireDeployable(
        parseConfig({ ...PROD, stage, alarms: { ...silent, ...alarms } }),
        undefined,
      );
    expect(() => deploying({})).toThrow(/alarms\.email: .*alarms\.topicArn.*"none"/);
    const topicArn = 'arn:aws:sns:eu-central-1:111122223333:pager';
    for (const recipient of [{ email: 'ops@example.com' }, { email: 'none' }, { topicArn }]) {
      expect(() => deploying(recipient)).not.toThrow();
    }
    for (const stage of ['dev', 'local']) expect(() => deploying({}, stage)).not.toThrow();
  });

  it('accepts the ARN of a permissions boundary', () => {
    expect(changeConfig({ permissionsBoundary: 'Boundary' })).toThrow(/permissionsBoundary: .*ARN/);
    for (const owner of ['111122223333', 'aws']) {
      const permissionsBoundary = `arn:aws:iam::${owner}:policy/team/Boundary`;
      expect(changeConfig({ permissionsBoundary })).not.toThrow();
    }
  });

  it("accepts the organisation's tags, unless they replace the service's own or have invalid characters", () => {
    expect(changeConfig({ tags: { 'cost:centre': 'naïve 1/2' } })).not.toThrow();
    for (const key of ['service', 'Stage', 'aws:x', 'a;b', '']) {
      expect(changeConfig({ tags: { [key]: 'x' } })).toThrow(/tags/);
    }
    expect(changeConfig({ tags: { team: 'a;b' } })).toThrow(/tags\.team: .*256/);
  });

  it('is rejected with the name of an unknown key', () => {
    expect(changeConfig({ retentonDays: 3 })).toThrow(
      /retentonDays: unknown key; known keys: stage, retentionDays, .*webhooks, /,
    );
    const alarms = { ...readStageConfig('dev').alarms, emial: 'ops@example.com' };
    expect(changeConfig({ alarms })).toThrow(
      'alarms.emial: unknown key; known keys: email, topicArn, runbookUrl, oldestUnfinishedMinutes',
    );
  });

  it('allows receivers in private networks only in the local stage', () => {
    expect(readStageConfig('local').webhooks.privateReceivers).toBe('allow');
    for (const stage of ['dev', 'prod']) {
      expect(readStageConfig(stage).webhooks).toMatchObject({
        schemes: ['https', 'http'],
        privateReceivers: 'refuse',
        ports: 'web',
      });
    }
  });
});
