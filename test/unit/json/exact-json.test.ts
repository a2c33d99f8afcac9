import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeSpan, listFieldSpans } from '../../../engine/json/json-bytes.ts';
import { RawJson, stringifyFields } from '../../../engine/json/raw-json.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** JSON text as clients write it, of any value, with or without indentation. */
const jsonText = fc
  .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'))
  .map(([value, indent]) => JSON.stringify(value, null, indent));

describe('the spans of an object', () => {
  it('name every field and return the exact text of its value', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), jsonText)), (members) => {
        const text = ` {\n${members.map(([name, value]) => `${JSON.stringify(name)} : ${value}`).join(' ,\t')} } `;
        const bytes = bytesOf(text);
        const spans = listFieldSpans(bytes);
        expect(spans.map(({ name }) => name)).toEqual(members.map(([name]) => name));
        expect(spans.map((span) => decodeSpan(bytes, span))).toEqual(
          members.map(([, value]) => value),
        );
      }),
    );
  });

  it('keep repeated names, escaped names and text that JSON.parse would change', () => {
    const bytes = bytesOf(
      '{"a":1.0,"a":1e400,"\\u0061":9223372036854775808,"__proto__":"\\ud800"}',
    );
    expect(listFieldSpans(bytes).map((span) => [span.name, decodeSpan(bytes, span)])).toEqual([
      ['a', '1.0'],
      ['a', '1e400'],
      ['a', '9223372036854775808'],
      ['__proto__', '"\\ud800"'],
    ]);
  });
});

describe('an object with raw fields', () => {
  it('equals the result of JSON.stringify if no field is raw', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        expect(stringifyFields(object)).toBe(JSON.stringify(object));
      }),
    );
  });

  it('contains the raw text exactly', () => {
    expect(
      stringifyFields({ id: 1, metadata: new RawJson('{"b":1.0, "a":2}'), gone: undefined }),
    ).toBe('{"id":1,"metadata":{"b":1.0, "a":2}}');
  });
});
