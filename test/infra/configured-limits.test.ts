import { describe, expect, it } from 'vitest';
import { requireDeployable } from '../../lib/config/deployable.ts';
import { parseConfig } from '../../lib/config/stage-config.ts';
import { isObject } from '../../local/json.ts';
import { AWS_QUOTAS } from '../support/infra/aws-quotas.ts';
import { EVERYTHING } from '../support/infra/everything.ts';
import { PROD } from '../support/infra/prod.ts';
import { synthesiseWith } from '../support/infra/synthesised.ts';

/** Each value is the longest that the configuration takes, which {@link OVER} exceeds by one. */
const FULL = {
  corsOrigins: [`https://${'a'.repeat(504)}`],
  allowedNetworks: [...Array(367).fill('100.100.100.0/24'), '10.0.0.0/8'],
  tags: Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`K${String(at).padStart(2, '0')}`, 'v'.repeat(47)]),
  ),
};

const OVER = {
  corsOrigins: [`https://${'a'.repeat(505)}`],
  allowedNetworks: Array(500).fill('100.100.100.0/24'),
  tags: { ...FULL.tags, K00: 'v'.repeat(48) },
};

describe('the configuration', () => {
  it.each(Object.entries(OVER))('refuses more of %s than AWS takes', (key, value) => {
    expect(() => parseConfig({ ...EVERYTHING, [key]: value })).toThrow(`${key}: must have at most`);
  });

  it.each(['cn-north-1', 'us-gov-west-1', 'us-iso-east-1'])('refuses %s', (region) => {
    expect(() => requireDeployable(PROD, region)).toThrow(region);
  });
});

describe('templates of the largest configuration stay within', () => {
  const { templates, ofType } = synthesiseWith(parseConfig({ ...EVERYTHING, ...FULL }));

  it('the size of a template', () => {
    for (const template of templates) {
      // The CDK writes templates with an indentation of one space.
      const bytes = Buffer.byteLength(JSON.stringify(template.toJSON(), null, 1));
      expect(bytes).toBeLessThan(AWS_QUOTAS.templateBytes.limit);
    }
  });

  it('the length of a stage variable', () => {
    const stages = ofType('AWS::ApiGateway::Stage');
    expect(stages.length).toBe(2);
    for (const { properties } of stages) {
      const variables = isObject(properties['Variables']) ? properties['Variables'] : {};
      expect(String(variables['cors_origins']).length).toBe(
        AWS_QUOTAS.stageVariableCharacters.limit,
      );
    }
  });

  it('the size of a resource policy', () => {
    const apis = ofType('AWS::ApiGateway::RestApi');
    expect(apis.length).toBe(2);
    for (const { properties } of apis) {
      expect(Buffer.byteLength(JSON.stringify(properties['Policy']))).toBeLessThan(
        AWS_QUOTAS.apiPolicyBytes.limit,
      );
    }
  });
});
