import { describe, expect, it } from 'vitest';
import type { Certificate } from '../../../../bin/preflight/certificates.ts';
import { findings, known } from './settled-account.ts';

describe('the preflight of a domain’s certificate', () => {
  const arn = 'arn:aws:acm:eu-central-1:111122223333:certificate/1';
  const findingOn = (certificate: Certificate | null, host = 'v1.example.com') => {
    const certificates = [{ of: 'v1', host, arn, certificate: known(certificate) }] as const;
    return findings({ certificates }).get('certificate of v1');
  };
  const issued = (...names: readonly string[]) => ({ status: 'ISSUED', names });

  it.each([
    ['that does not exist', null, /does not exist/],
    [
      'that is not issued',
      { ...issued('v1.example.com'), status: 'PENDING_VALIDATION' },
      /PENDING/,
    ],
    ['for other hosts', issued('example.com', 'v2.example.com'), /example\.com, v2\.example\.com/],
  ])('calls one wrong %s', (_, certificate, says) => {
    expect(findingOn(certificate)).toMatchObject({
      verdict: 'wrong',
      says: expect.stringMatching(says),
    });
  });

  it('accepts the host as any of its names, and an asterisk for one label', () => {
    expect(findingOn(issued('example.com', 'V1.example.com'))?.verdict).toBe('fine');
    expect(findingOn(issued('*.example.com'))?.verdict).toBe('fine');
    expect(findingOn(issued('*.example.com'), 'v1.soil.example.com')?.verdict).toBe('wrong');
    expect(findingOn(issued('*.example.com'), 'example.com')?.verdict).toBe('wrong');
  });
});
