import * as fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { classifyAddress } from '../../../lambdas/domain/delivery/address-range.ts';

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** The result of a library that has its own table. */
function isPublic(address: string): boolean {
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

const octet = fc.integer({ min: 0, max: 255 });
const ipv4 = fc
  .tuple(
    // About half of the words, and of the first three octets, are at the borders of special ranges.
    fc.oneof(octet, fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 240, 255)),
    fc.oneof(octet, fc.constantFrom(0, 16, 18, 31, 51, 52, 64, 88, 127, 168, 175, 254)),
    fc.oneof(octet, fc.constantFrom(0, 2, 48, 99, 100, 113, 193, 196)),
    octet,
  )
  .map((octets) => octets.join('.'));

const word = fc.integer({ min: 0, max: 0xffff });
const ipv6 = fc
  .tuple(
    fc.oneof(
      word,
      fc.constantFrom(0, 0x64, 0x100, 0x2001, 0x2002, 0x2620, 0x3fff, 0x5f00, 0xfc00, 0xfe80),
    ),
    fc.oneof(word, fc.constantFrom(0, 1, 2, 0x10, 0x4f, 0x1ff, 0x200, 0xdb8, 0xff9b)),
    fc.oneof(word, fc.constantFrom(0, 1, 0x112, 0x8000)),
    fc.array(fc.oneof(word, fc.constantFrom(0, 0xffff)), { minLength: 5, maxLength: 5 }),
  )
  .map(([a, b, c, rest]) => [a, b, c, ...rest].map((part) => part.toString(16)).join(':'));

describe('an address', () => {
  it.each([
    ['IPv4', ipv4],
    ['IPv6', ipv6],
  ])('is classified as public if and only if ipaddr.js agrees: %s', (_family, addresses) => {
    fc.assert(
      fc.property(addresses, (address) => {
        expect(classifyAddress(address) === null).toBe(isPublic(address));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is classified alike in other spellings and with a zone', () => {
    expect(classifyAddress('2606:2800:21f::1')).toBeNull();
    expect(classifyAddress('0000:0000::0001')).toBe('loopback');
    expect(classifyAddress('FE80::1%eth0')).toBe('link local');
  });
});

describe('an IPv4-mapped address', () => {
  it('is not treated as its IPv4 address', () => {
    expect(classifyAddress('::ffff:93.184.215.14')).toBe('ipv4mapped');
    expect(classifyAddress('::ffff:127.0.0.1')).toBe('ipv4mapped');
  });
});
