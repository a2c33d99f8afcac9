import fc from 'fast-check';
import { v5 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { nameBasedUuids } from '../../../lambdas/domain/identity.ts';

describe('a name-based UUID', () => {
  it('matches the example in RFC 9562, appendix A.4', () => {
    const ofDns = nameBasedUuids('6ba7b810-9dad-11d1-80b4-00c04fd430c8');
    expect(ofDns('www.example.com')).toBe('2ed6657d-e927-568b-95e1-2665a8aea6a2');
  });

  it("equals the uuid package's result for any name in any namespace", () => {
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: 'grapheme' }), (namespace, name) => {
        expect(nameBasedUuids(namespace)(name)).toBe(v5(name, namespace));
      }),
    );
  });
});
