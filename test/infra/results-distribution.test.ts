import { createHash, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { UNUSED_PUBLIC_KEY } from '../../lib/results/unused-public-key.ts';
import { at } from '../support/infra/json.ts';
import { PROD } from '../support/infra/prod.ts';
import { type Synthesised, synthesiseWith } from '../support/infra/synthesised.ts';
import { ACCOUNT, deployed, OTHER_ACCOUNT } from './access/deployed.ts';
import { type Context, verdictOn } from './access/may.ts';
import { grantedCalls, keysOf } from './access/own-calls.ts';
import { policiesOf } from './access/policies.ts';
import { nameOf } from './access/prod.ts';

const DOMAIN = {
  host: 'results.example.com',
  certificateArn: `arn:aws:acm:us-east-1:${ACCOUNT}:certificate/1`,
};
const WEB_ACL = `arn:aws:wafv2:us-east-1:${ACCOUNT}:global/webacl/edge/1`;
const synthesised = synthesiseWith(parseConfig({ ...PROD, results: { signer: 'cloudfront' } }));
/** With what an operator can add. */
const withDomain = synthesiseWith(
  parseConfig({
    ...PROD,
    results: { signer: 'cloudfront', domain: DOMAIN, webAclArn: WEB_ACL },
  }),
);
const on = deployed(synthesised);
const policies = policiesOf(synthesised, on);
const granted = grantedCalls(policies);

const only = (type: string, part = '') => {
  const [found, ...others] = synthesised.ofType(type).filter(({ id }) => id.includes(part));
  if (found === undefined || others.length > 0) throw new Error(`not one ${type} has ${part}`);
  return found;
};
const distribution = only('AWS::CloudFront::Distribution');
const behaviour = at(distribution.properties, 'DistributionConfig', 'DefaultCacheBehavior');

describe('a stage whose results CloudFront serves', () => {
  it('has no IAM user and no access key', () => {
    expect(synthesised.ofType('AWS::IAM::User')).toEqual([]);
    expect(granted.filter(({ action }) => action.startsWith('iam:'))).toEqual([]);
  });

  it('serves signed requests only, over HTTPS, and does not change what S3 sends', () => {
    expect(behaviour).toMatchObject({
      TrustedKeyGroups: [{ Ref: only('AWS::CloudFront::KeyGroup').id }],
      ViewerProtocolPolicy: 'https-only',
      AllowedMethods: ['GET', 'HEAD', 'OPTIONS'],
      Compress: false,
    });
    const { DistributionConfig } = distribution.properties;
    expect(at(DistributionConfig, 'CacheBehaviors')).toBeUndefined();
    expect(at(DistributionConfig, 'Logging')).toBeUndefined();
    expect(only('AWS::CloudFront::OriginAccessControl').properties).toMatchObject({
      OriginAccessControlConfig: { SigningBehavior: 'always', SigningProtocol: 'sigv4' },
    });
  });

  it('forwards the name of the download, and caches shorter than a URL lives', () => {
    expect(only('AWS::CloudFront::CachePolicy').properties).toMatchObject({
      CachePolicyConfig: {
        MaxTTL: 3_600,
        ParametersInCacheKeyAndForwardedToOrigin: {
          QueryStringsConfig: {
            QueryStringBehavior: 'whitelist',
            QueryStrings: ['response-content-disposition'],
          },
          HeadersConfig: { HeaderBehavior: 'none' },
          CookiesConfig: { CookieBehavior: 'none' },
        },
      },
    });
  });

  it('lets pages of any origin read a result whose URL they have, as the bucket does', () => {
    const [cors] = at(
      only('AWS::S3::Bucket', 'Results').properties,
      'CorsConfiguration',
      'CorsRules',
    ) as readonly { ExposedHeaders: readonly string[] }[];
    expect(only('AWS::CloudFront::ResponseHeadersPolicy').properties).toMatchObject({
      ResponseHeadersPolicyConfig: {
        CorsConfig: {
          AccessControlAllowOrigins: { Items: ['*'] },
          AccessControlAllowMethods: { Items: ['GET', 'HEAD'] },
          AccessControlExposeHeaders: { Items: cors?.ExposedHeaders },
          OriginOverride: true,
        },
      },
    });
  });

  it('names its parts by Region, because an account has one CloudFront', () => {
    const parts = synthesised.resources.filter(({ type }) => type.startsWith('AWS::CloudFront::'));
    const names = parts.flatMap(({ properties }) =>
      Object.values(properties).flatMap((config) => synthesised.text(at(config, 'Name'))),
    );
    expect(names.filter((name) => name !== '')).toHaveLength(5);
    for (const name of names.filter(Boolean)) expect(name).toContain('<AWS::Region>');
  });

  it('keeps none of the parts on deletion, whose names another deployment needs', () => {
    const parts = synthesised.resources.filter(({ type }) => type.startsWith('AWS::CloudFront::'));
    expect(parts).toHaveLength(6);
    for (const { id, whole } of parts)
      expect([id, whole['DeletionPolicy']]).toEqual([id, undefined]);
  });

  it('accepts TLS 1.2 and newer only at its own domain, and has the web ACL that is configured', () => {
    const [{ properties } = distribution] = withDomain.ofType('AWS::CloudFront::Distribution');
    expect(at(properties, 'DistributionConfig')).toMatchObject({
      Aliases: [DOMAIN.host],
      WebACLId: WEB_ACL,
      ViewerCertificate: {
        AcmCertificateArn: DOMAIN.certificateArn,
        MinimumProtocolVersion: 'TLSv1.2_2021',
        SslSupportMethod: 'sni-only',
      },
    });
  });

  it('signs URLs at its own domain, and tests keys where no DNS record of the operator is needed', () => {
    const origins = withDomain.ofType('AWS::Lambda::Function').flatMap(({ id, properties }) => {
      const origin = at(properties, 'Environment', 'Variables', 'RESULTS_ORIGIN');
      return origin === undefined ? [] : [{ id, origin: withDomain.text(origin) }];
    });
    const [testing, signing] = [true, false].map((tests) =>
      origins.filter(({ id }) => id.startsWith('SigningKey') === tests),
    );
    expect(signing?.length).toBeGreaterThan(1);
    expect(new Set(signing?.map(({ origin }) => origin))).toEqual(
      new Set([`https://${DOMAIN.host}`]),
    );
    expect(testing).toHaveLength(2);
    for (const { origin } of testing ?? []) expect(origin).toMatch(/DomainName/);
  });

  it('first trusts a key that nobody can sign with', () => {
    const text = 'soil-batch: nobody has the private key 3';
    const { x, crv } = createPublicKey(UNUSED_PUBLIC_KEY).export({ format: 'jwk' });
    expect(crv).toBe('P-256');
    expect(x).toBe(createHash('sha256').update(text).digest('base64url'));
    expect(only('AWS::CloudFront::KeyGroup').properties).toMatchObject({
      KeyGroupConfig: { Items: [{ Ref: only('AWS::CloudFront::PublicKey').id }] },
    });
  });

  it('never changes the unused key, of which CloudFront only updates the comment', () => {
    const { PublicKeyConfig } = only('AWS::CloudFront::PublicKey').properties;
    const name = 'SoilBatch-prod-Stateful-<AWS::Region>-unused';
    expect(synthesised.text(at(PublicKeyConfig, 'Name'))).toBe(name);
    expect(synthesised.text(at(PublicKeyConfig, 'CallerReference'))).toBe(name);
    expect(at(PublicKeyConfig, 'EncodedKey')).toBe(UNUSED_PUBLIC_KEY);
  });

  it('never changes the key group: CloudFormation would remove the keys that functions added', () => {
    const { properties } = only('AWS::CloudFront::KeyGroup');
    expect(properties).toEqual({
      KeyGroupConfig: {
        Name: at(properties, 'KeyGroupConfig', 'Name'),
        Comment: 'Functions add and remove the keys that sign results',
        Items: [{ Ref: 'SecretsResultsUnusedKey0227B573' }],
      },
    });
    expect(synthesised.text(at(properties, 'KeyGroupConfig', 'Name'))).toBe(
      'SoilBatch-prod-Stateful-<AWS::Region>-signers',
    );
  });
});

it('a domain can be configured later: what deployed functions import is still exported', () => {
  const imported = ({ templates: [stateful] }: Synthesised) => {
    const outputs: Record<string, { Export?: { Name: string } }> = stateful?.toJSON()['Outputs'];
    return Object.values(outputs).flatMap(({ Export }) => Export?.Name ?? []);
  };
  const before = imported(synthesised);
  const after = imported(withDomain);
  expect(before.filter((name) => !after.includes(name))).toEqual([]);
  expect(before.some((name) => /DistributionDomain|DomainName/.test(name))).toBe(true);
});

describe('the policies of such a stage', () => {
  const results = on.arn(only('AWS::S3::Bucket', 'Results').id);
  const work = on.arn(only('AWS::S3::Bucket', 'Work').id);
  const key = String(keysOf(synthesised, on)(results));
  const arnOf = (account: string, name: string) =>
    `arn:aws:cloudfront::${account}:distribution/${name}`;
  const verdict = (action: string, resource: string, source: string) => {
    const context: Context = { 'aws:SourceArn': source };
    return verdictOn({ by: 'cloudfront.amazonaws.com', action, on: resource, context }, policies);
  };
  const own = arnOf(ACCOUNT, distribution.id);

  it.each([
    ['s3:GetObject', `${results}/results/7/7.tif`],
    ['s3:ListBucket', results],
    ['kms:Decrypt', key],
  ])('let the distribution %s', async (action, resource) => {
    expect(await verdict(action, resource, own)).toBe('Allowed');
  });

  it.each([
    ['s3:GetObject', `${results}/totals/7`, own],
    ['s3:GetObject', `${work}/requests/7.json`, own],
    ['s3:PutObject', `${results}/results/7/7.tif`, own],
    ['kms:GenerateDataKey', key, own],
    ['kms:Decrypt', on.arn(only('AWS::KMS::Key', 'DataKey').id), own],
    ['kms:Decrypt', on.arn(only('AWS::KMS::Key', 'WebhookKey').id), own],
    ['s3:GetObject', `${results}/results/7/7.tif`, arnOf(ACCOUNT, 'ANOTHER')],
    ['s3:ListBucket', results, arnOf(ACCOUNT, 'ANOTHER')],
    ['s3:GetObject', `${results}/results/7/7.tif`, arnOf(OTHER_ACCOUNT, distribution.id)],
    ['kms:Decrypt', key, arnOf(OTHER_ACCOUNT, distribution.id)],
  ])('do not allow %s on %s for %s', async (action, resource, source) => {
    expect(await verdict(action, resource, source)).toBe('ImplicitlyDenied');
  });

  it('let only the functions of the signing key change what CloudFront trusts', async () => {
    const calls = granted.filter(({ action }) => action.startsWith('cloudfront:'));
    const verdicts = await Promise.all(calls.map((call) => verdictOn(call, policies)));
    expect(new Set(verdicts)).toEqual(new Set(['Allowed']));
    const holders = (action: string) =>
      [
        ...new Set(calls.filter((call) => call.action === action).map(({ by }) => nameOf(by))),
      ].sort();
    const making = ['SigningKeyFirstKey', 'SigningKeyRotateKey'];
    expect(holders('cloudfront:CreatePublicKey')).toEqual(making);
    expect(holders('cloudfront:UpdateKeyGroup')).toEqual(
      [...making, 'SigningKeyRemoveReplacedKeys'].sort(),
    );
  });
});
