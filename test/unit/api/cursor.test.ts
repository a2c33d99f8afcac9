import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../lambdas/domain/cursor.ts';

const key = new TextEncoder().encode('key');
const scope = fc.record({
  tenant: fc.string(),
  resource: fc.array(fc.string(), { maxLength: 3 }),
});
const page = fc.record({
  first: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  limit: fc.integer({ min: 1, max: 2 ** 16 - 1 }),
});

describe('a cursor', () => {
  it('opens the page it was created for', () => {
    fc.assert(
      fc.property(scope, page, (owner, next) => {
        const text = encodeCursor(key, owner, next);
        expect(text).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(decodeCursor(key, owner, text)).toEqual(next);
      }),
    );
  });

  it('is invalid for another tenant, list or key', () => {
    fc.assert(
      fc.property(scope, scope, page, (owner, other, next) => {
        const text = encodeCursor(key, owner, next);
        const foreign = JSON.stringify(owner) !== JSON.stringify(other);
        if (foreign) expect(decodeCursor(key, other, text)).toBeNull();
        expect(decodeCursor(new TextEncoder().encode('other'), owner, text)).toBeNull();
      }),
    );
  });

  it('is invalid once any bit of it is changed', () => {
    fc.assert(
      fc.property(scope, page, fc.nat(), (owner, next, bit) => {
        const bytes = Buffer.from(encodeCursor(key, owner, next), 'base64url');
        const at = Math.floor(bit / 8) % bytes.length;
        bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit % 8));
        expect(decodeCursor(key, owner, bytes.toString('base64url'))).toBeNull();
      }),
    );
  });

  it('has a single spelling: it is invalid if truncated, padded or decorated', () => {
    const owner = { tenant: 'a', resource: ['b'] };
    const text = encodeCursor(key, owner, { first: 5, limit: 2 });
    for (const other of [
      '',
      text.slice(1),
      text.slice(0, -1),
      `${text}=`,
      ` ${text}`,
      `${text}A`,
    ]) {
      expect(decodeCursor(key, owner, other)).toBeNull();
    }
  });

  it('is invalid if it is any other text', () => {
    const owner = { tenant: 'a', resource: [] };
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(decodeCursor(key, owner, text)).toBeNull();
      }),
    );
  });
});
