import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../lambdas/domain/limits.ts';
import { readStageConfig } from '../../lib/config/each-stage.ts';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { toList, valueAtPath } from '../../local/json.ts';
import { synthesise, synthesiseWith } from '../support/infra/synthesised.ts';

const CERTIFICATE = 'arn:aws:acm:eu-central-1:123456789012:certificate/0a1b';
const domains = {
  v1: { host: 'soil.example.com', certificateArn: CERTIFICATE },
  v2: { host: 'soil-v2.example.com', certificateArn: CERTIFICATE },
  hostedZone: { id: 'Z0123', name: 'example.com' },
};

const plain = synthesise('dev');
const guarded = synthesiseWith(
  parseConfig({
    ...readStageConfig('dev'),
    domains,
    allowedNetworks: ['192.0.2.0/24', '2001:db8::/32'],
    firewall: 'on',
  }),
);

describe('an API with a custom domain', () => {
  it('is available only at this domain, with a record in its zone', () => {
    const names = guarded.ofType('AWS::ApiGateway::DomainName');
    expect(names.map(({ properties }) => properties['DomainName']).sort()).toEqual([
      'soil-v2.example.com',
      'soil.example.com',
    ]);
    for (const { properties } of names) {
      expect(properties['RegionalCertificateArn']).toBe(CERTIFICATE);
    }
    const records = guarded.ofType('AWS::Route53::RecordSet');
    expect(records.map(({ properties }) => properties['Name']).sort()).toEqual([
      'soil-v2.example.com.',
      'soil.example.com.',
    ]);
    for (const api of guarded.ofType('AWS::ApiGateway::RestApi')) {
      expect(api.properties['DisableExecuteApiEndpoint']).toBe(true);
    }
  });

  it('gives the functions its base URL', () => {
    const stages = guarded.ofType('AWS::ApiGateway::Stage');
    const variable = (name: string) =>
      stages.map(({ properties }) => valueAtPath(properties, 'Variables', name));
    expect(variable('base_url').sort()).toEqual([
      'https://soil-v2.example.com',
      'https://soil.example.com',
    ]);
    expect(variable('v2_url')).toContain('https://soil-v2.example.com');
  });

  it('accepts no TLS older than 1.2 at either host', () => {
    const tls = {
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    };
    for (const stage of [plain, guarded]) {
      const hosts = ['AWS::ApiGateway::RestApi', 'AWS::ApiGateway::DomainName'].flatMap((type) =>
        stage.ofType(type),
      );
      for (const { properties } of hosts) expect(properties).toMatchObject(tls);
    }
  });

  it('cannot have both a domain and a base URL in the configuration', () => {
    const baseUrls = { v1: 'https://one.example', v2: 'https://two.example' };
    expect(() => parseConfig({ ...readStageConfig('dev'), domains, baseUrls })).toThrow(
      /baseUrls: /,
    );
  });
});

describe('an API that only some networks may use', () => {
  it('denies every request from elsewhere', () => {
    for (const { properties } of guarded.ofType('AWS::ApiGateway::RestApi')) {
      const denied = toList(valueAtPath(properties, 'Policy', 'Statement')).find(
        (statement) => valueAtPath(statement, 'Effect') === 'Deny',
      );
      expect(denied).toMatchObject({
        Action: 'execute-api:Invoke',
        Condition: { NotIpAddress: { 'aws:SourceIp': ['192.0.2.0/24', '2001:db8::/32'] } },
      });
    }
  });

  it('is open to all networks by default', () => {
    for (const { properties } of plain.ofType('AWS::ApiGateway::RestApi')) {
      expect(properties['Policy']).toBeUndefined();
    }
  });
});

describe('the firewall', () => {
  const rules = guarded
    .ofType('AWS::WAFv2::WebACL')
    .flatMap(({ properties }) => toList(properties['Rules']));

  it('protects both APIs if it is on, and does not exist if it is off', () => {
    expect(guarded.ofType('AWS::WAFv2::WebACLAssociation')).toHaveLength(2);
    expect(plain.ofType('AWS::WAFv2::WebACL')).toEqual([]);
  });

  it.each([
    ['BODY', 'a batch of polygons'],
    ['QUERYSTRING', 'a total without many jobs'],
  ])('does not block a large %s, such as %s', (part) => {
    const overrides = rules.flatMap((rule) =>
      toList(valueAtPath(rule, 'Statement', 'ManagedRuleGroupStatement', 'RuleActionOverrides')),
    );
    const counted = { Name: `SizeRestrictions_${part}`, ActionToUse: { Count: {} } };
    expect(overrides).toContainEqual(counted);
    expect(overrides.every((each) => valueAtPath(each, 'ActionToUse', 'Count') !== undefined)).toBe(
      true,
    );
  });

  it('responds with 429 to a flood from one IP address, but not to five tenants behind one address', () => {
    const flood = rules.find((rule) => valueAtPath(rule, 'Name') === 'flood');
    expect(valueAtPath(flood, 'Action', 'Block', 'CustomResponse')).toEqual({
      ResponseCode: 429,
      ResponseHeaders: [{ Name: 'Retry-After', Value: '60' }],
    });
    const rate = valueAtPath(flood, 'Statement', 'RateBasedStatement');
    expect(rate).toMatchObject({ AggregateKeyType: 'IP', EvaluationWindowSec: 60 });
    const perMinute = Number(valueAtPath(rate, 'Limit'));
    expect(perMinute).toBeGreaterThanOrEqual(5 * LIMITS.requestsPerMinute);
    // The throttling limit of an operation, which all callers share, exceeds the rate of three such addresses.
    expect(3 * perMinute).toBeLessThan(60 * readStageConfig('prod').throttling.requestsPerSecond);
  });

  it('is on in prod', () => {
    expect(synthesise('prod').ofType('AWS::WAFv2::WebACLAssociation')).toHaveLength(2);
  });
});
