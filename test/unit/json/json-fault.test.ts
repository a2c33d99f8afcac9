import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findJsonFault } from '../../../engine/json/json-fault.ts';

describe('text that is not JSON', () => {
  it.each([
    ['{"a":x}', 5],
    ['{"a":1,}', 7],
    ["{'a':1}", 1],
    ['{"a" 1}', 5],
    ['{"a":1 "b":2}', 7],
    ['{"jobs":[}', 9],
    ['[1,]', 3],
    ['[1 2]', 3],
    ['{"a":[1}', 7],
    ['null x', 5],
    ['{}{}', 2],
    ['[01]', 2],
    ['[+1]', 1],
    ['[NaN]', 1],
    ['["a\nb"]', 3],
    ['["a\\x"]', 3],
    ['["\\u12g4"]', 2],
  ])('has its fault at the invalid character: %j at %i', (text, index) => {
    expect(findJsonFault(text)).toBe(index);
  });

  it.each(['', ' ', '{', '{"a"', '{"a":', '{"a":1', '["a', '[1,', '["a\\n'])(
    'has its fault at its end if it ends too early: %j',
    (text) => {
      expect(findJsonFault(text)).toBe(text.length);
    },
  );

  it('is a prefix of JSON before its fault', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.constantFrom('\u0001', '#'), (json, place, wrong) => {
        const index = place % json.length;
        const text = json.slice(0, index) + wrong + json.slice(index + 1);
        fc.pre(!isJson(text));
        const fault = findJsonFault(text);
        expect(findJsonFault(text.slice(0, fault))).toBe(fault);
        expect(fault).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it('may contain a string of megabytes', () => {
    const text = `["${'é\\n'.repeat(1_500_000)}`;
    expect(findJsonFault(text)).toBe(text.length);
  });
});

it('valid JSON has its fault position at its end', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(findJsonFault(json)).toBe(json.length);
    }),
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
