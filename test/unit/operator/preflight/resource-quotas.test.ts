import { describe, expect, it } from 'vitest';
import type { QuotaUse } from '../../../../bin/preflight/quotas/resource-quotas.ts';
import { parseConfig } from '../../../../lib/config/stage-config.ts';
import { findings, prod, quotaUsesOf } from './settled-account.ts';

const cloudfront = parseConfig({ ...prod, results: { signer: 'cloudfront' }, firewall: 'off' });

describe('the preflight of what AWS limits the number of', () => {
  const findingOn = (about: string, use: Partial<QuotaUse>, config = prod) =>
    findings({ quotaUses: quotaUsesOf(config, use) }, config).get(about);

  it('requires that what the stage makes fits into the quota', () => {
    expect(findingOn('regional APIs', { used: 598, quota: 600 })?.verdict).toBe('fine');
    expect(findingOn('regional APIs', { used: 599, quota: 600 })).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(/^599 of 600; .* 2 more/),
    });
    expect(findingOn('IAM roles', { used: 990, quota: 1_000 })?.verdict).toBe('wrong');
  });

  it('does not count what the stage has made', () => {
    expect(findingOn('regional APIs', { used: 600, own: 2, quota: 600 })?.verdict).toBe('fine');
    expect(findingOn('regional APIs', { used: 600, own: 1, quota: 600 })?.verdict).toBe('wrong');
  });

  it('cannot tell whether a default quota was raised', () => {
    const full = { used: 100, quota: 100, byDefault: true };
    expect(findingOn('web ACLs', full)).toMatchObject({
      verdict: 'raise',
      says: expect.stringMatching(/^100 of 100 by default/),
    });
  });

  it('counts the public keys of later rotations, unless the stage already runs', () => {
    const keys = (used: number, own: number) =>
      findingOn('public keys', { used, own, quota: 10, byDefault: true }, cloudfront)?.verdict;
    expect(keys(6, 0)).toBe('fine');
    expect(keys(7, 0)).toBe('raise');
    expect(keys(10, 1)).toBe('fine');
  });

  it('reports only what the stage makes', () => {
    const limited = (config: typeof prod) =>
      quotaUsesOf(config).map(({ limited: { about } }) => about);
    expect(limited(prod)).toEqual(['IAM roles', 'IAM users', 'regional APIs', 'web ACLs']);
    expect(limited(cloudfront)).toEqual([
      'IAM roles',
      'regional APIs',
      'distributions',
      'origin access controls',
      'public keys',
      'key groups',
      'cache policies',
      'headers policies',
    ]);
  });
});
