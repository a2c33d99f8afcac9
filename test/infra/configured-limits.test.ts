import { mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireDeployable } from '../../lib/config/deployable.ts';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { isObject, type Json, toList, valueAtPath } from '../../local/json.ts';
import { AWS_QUOTAS } from '../support/infra/aws-quotas.ts';
import { EVERYTHING } from '../support/infra/everything.ts';
import { evaluateDocument, evaluateIntrinsic } from '../support/infra/intrinsics.ts';
import { PROD } from '../support/infra/prod.ts';
import { synthesiseWith } from '../support/infra/synthesised.ts';

const ACCOUNT = '111122223333';
const REGION = 'ap-southeast-1';
const x = (length: number) => 'x'.repeat(length);
const urlOf = (length: number) => `https://${x(length - 'https://'.length)}`;
const hostOf = (length: number) => 'x.'.repeat(length / 2 - 1) + x(2 + (length % 2));

/** The longest allowed length of the value at each key, with a function that makes a value of a given length. */
const LONGEST: Readonly<Record<string, readonly [longest: number, of: (length: number) => Json]>> =
  {
    modelPacks: [20, (packs) => Array.from({ length: packs }, (_, at) => packName(at))],
    'webhooks.ports': [50, (ports) => Array(ports).fill(65_535)],
    eventBus: [256, (name) => `arn:aws:events:${REGION}:${ACCOUNT}:event-bus/${x(name)}`],
    corsOrigins: [512, (length) => [urlOf(length)]],
    'alarms.email': [254, (length) => `ops@${hostOf(length - 4)}`],
    'budget.email': [254, (length) => `ops@${hostOf(length - 4)}`],
    'alarms.runbookUrl': [400, urlOf],
    'domains.v1.host': [253, hostOf],
    'domains.v2.host': [253, hostOf],
    'domains.v1.certificateArn': [64, certificate],
    'domains.v2.certificateArn': [64, certificate],
    'domains.hostedZone.id': [32, x],
    'domains.hostedZone.name': [253, hostOf],
    allowedNetworks: [368, (count) => ['10.0.0.0/8', ...Array(count - 1).fill('100.100.100.0/24')]],
    // The JSON around the URL takes 53 bytes.
    'console.backgrounds': [2_500, (bytes) => [background(bytes - 53)]],
    destinationAccounts: [
      50,
      (accounts) => Array.from({ length: accounts }, (_, at) => `${1e11 + at}`),
    ],
    permissionsBoundary: [640, (name) => `arn:aws:iam::${ACCOUNT}:policy/${x(name)}`],
    // 39 tags have 50 bytes each, and one has the remainder.
    tags: [2_000, (bytes) => tags(bytes)],
  };

function certificate(id: number): string {
  return `arn:aws:acm:${REGION}:${ACCOUNT}:certificate/${x(id)}`;
}

function background(length: number) {
  const url = `https://xx/{z}/{x}/{y}${x(length - 'https://xx/{z}/{x}/{y}'.length)}`;
  return { name: 'x', url, attribution: 'x', maxZoom: 9 };
}

function packName(at: number): string {
  return x(61) + String(at).padStart(2, '0');
}

function tags(bytes: number): Readonly<Record<string, string>> {
  const value = (at: number) => (at === 0 ? x(bytes - 39 * 50 - 3) : x(47));
  return Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`K${String(at).padStart(2, '0')}`, value(at)]),
  );
}

const modelsFolder = mkdtempSync(join(tmpdir(), 'soil-batch-packs-'));
for (let at = 0; at < 20; at += 1) {
  symlinkSync(resolve('models/meuse-soc'), join(modelsFolder, packName(at)));
}

function replaceValue(config: Json, [key = '', ...rest]: readonly string[], value: Json): Json {
  const object = isObject(config) ? config : {};
  const inner = object[key];
  return { ...object, [key]: rest.length === 0 ? value : replaceValue(inner ?? {}, rest, value) };
}

const everything: Json = { ...JSON.parse(JSON.stringify(EVERYTHING)), modelsFolder };
const full = Object.entries(LONGEST).reduce<Json>(
  (config, [key, [longest, of]]) => replaceValue(config, key.split('.'), of(longest)),
  everything,
);

describe('the configuration', () => {
  it.each(Object.entries(LONGEST))(
    'rejects a %s above the maximum length',
    (key, [longest, of]) => {
      expect(() => parseConfig(replaceValue(full, key.split('.'), of(longest + 1)))).toThrow(
        `${key}`,
      );
    },
  );

  it.each(['baseUrls.v1', 'baseUrls.v2', 'alarms.topicArn'])(
    'rejects a %s above the maximum length',
    (key) => {
      const { domains: _, ...proxied } = PROD;
      const { email: _email, ...alarms } = PROD.alarms;
      const base: Json = JSON.parse(
        JSON.stringify({ ...proxied, alarms, baseUrls: { v1: urlOf(400), v2: urlOf(400) } }),
      );
      const value = key === 'alarms.topicArn' ? `arn:aws:sns:x:${ACCOUNT}:${x(257)}` : urlOf(401);
      expect(() => parseConfig(base)).not.toThrow();
      expect(() => parseConfig(replaceValue(base, key.split('.'), value))).toThrow(key);
    },
  );

  it.each(['cn-north-1', 'us-gov-west-1', 'us-iso-east-1', 'eusc-de-east-1'])(
    'rejects the region %s, which is in another partition',
    (region) => {
      expect(() => requireDeployable(PROD, region)).toThrow(region);
    },
  );

  it('accepts a region that is newer than the CDK', () => {
    expect(() => requireDeployable(PROD, 'ap-southeast-99')).not.toThrow();
  });
});

/** Stands for a long name, URL or ARN that AWS gives to a resource. */
const named = (id: string) =>
  ({ 'AWS::Region': REGION, 'AWS::AccountId': ACCOUNT, 'AWS::Partition': 'aws' })[id] ?? x(160);

describe('the templates of the largest configuration stay within', () => {
  const { templates, resources, ofType, exported } = synthesiseWith(parseConfig(full));
  const text = (value: Json | undefined) => evaluateIntrinsic(value, exported, named);
  const whole = templates.map((template): Json => template.toJSON());
  const policySize = (policy: Json | undefined) =>
    JSON.stringify(evaluateDocument(policy ?? null, text)).length;
  /** The total size of the inline policies of each role or user. */
  const inlineSizes = (type: string, member: string) =>
    ofType(type).map(({ id, properties }) => {
      const attached = ofType('AWS::IAM::Policy').filter((policy) =>
        toList(policy.properties[member]).some((holder) => valueAtPath(holder, 'Ref') === id),
      );
      const inline = [...toList(properties['Policies']), ...attached.map((one) => one.properties)];
      return inline.reduce(
        (sum: number, one) => sum + policySize(valueAtPath(one, 'PolicyDocument')),
        0,
      );
    });
  const environments = ofType('AWS::Lambda::Function').map(({ properties }) => {
    const variables = valueAtPath(properties, 'Environment', 'Variables');
    return Object.entries(isObject(variables) ? variables : {}).reduce(
      (sum, [name, value]) => sum + Buffer.byteLength(name + text(value)),
      0,
    );
  });
  const stageVariables = ofType('AWS::ApiGateway::Stage').flatMap(({ properties }) => {
    const variables = properties['Variables'];
    return Object.values(isObject(variables) ? variables : {}).map((value) => text(value).length);
  });
  const counts = (section: string) =>
    whole.map(
      (template) =>
        Object.keys((valueAtPath(template, section) as object | undefined) ?? {}).length,
    );
  const exportNames = whole.flatMap((template) =>
    Object.values(
      (valueAtPath(template, 'Outputs') as Readonly<Record<string, Json>> | undefined) ?? {},
    ).map((output) => String(valueAtPath(output, 'Export', 'Name') ?? '').length),
  );

  it.each<readonly [what: keyof typeof AWS_QUOTAS, sizes: readonly number[]]>([
    // The CDK indents templates by one space.
    [
      'templateBytes',
      whole.map((template) => Buffer.byteLength(JSON.stringify(template, null, 1))),
    ],
    // A tenth is left for additions in a release.
    ['templateResources', counts('Resources').map((count) => count / 0.9)],
    ['templateOutputs', counts('Outputs')],
    ['templateParameters', counts('Parameters')],
    ['exportNameCharacters', exportNames],
    ['rolePolicyCharacters', inlineSizes('AWS::IAM::Role', 'Roles')],
    ['userPolicyCharacters', inlineSizes('AWS::IAM::User', 'Users')],
    [
      'apiPolicyBytes',
      ofType('AWS::ApiGateway::RestApi').map(({ properties }) => policySize(properties['Policy'])),
    ],
    ['stageVariableCharacters', stageVariables],
    ['lambdaEnvironmentBytes', environments],
    [
      'alarmDescriptionCharacters',
      ofType('AWS::CloudWatch::Alarm').map(
        ({ properties }) => text(properties['AlarmDescription']).length,
      ),
    ],
    [
      'resourceTags',
      resources.map(({ properties }) => {
        const tagged = properties['Tags'];
        return isObject(tagged) ? Object.keys(tagged).length : toList(tagged).length;
      }),
    ],
  ])('%s', (what, sizes) => {
    expect(Math.max(...sizes)).toBeGreaterThan(0);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(AWS_QUOTAS[what].limit);
  });
});
