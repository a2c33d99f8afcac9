import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, printableJson } from '../../../cli/src/terminal/printable.ts';

const CONTROLS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

describe('text of others on a terminal', () => {
  it('has its control characters shown, not sent', () => {
    expect(printable('\u001b[2Ja\u009b1m\nb\u202ec\u{e0041}')).toBe(
      '\\u001b[2Ja\\u009b1m\\u000ab\\u202ec\\udb40\\udc41',
    );
    expect(printable('Äcker 1 – 漢字')).toBe('Äcker 1 – 漢字');
  });

  it('never has one, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(printable(text)).not.toMatch(CONTROLS);
      }),
    );
  });

  it('is the same value as JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = printableJson({ [text]: text });
        expect(json).not.toMatch(CONTROLS);
        expect(JSON.parse(json)).toEqual({ [text]: text });
      }),
    );
  });
});
