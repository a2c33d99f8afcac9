import fc from 'fast-check';

/** Texts of JSON objects that would change if they were parsed and written again. */
export const EXACT_TEXTS = [
  ['number spelling', '{"a": 1.0, "b": 1e400, "c": 9223372036854775808, "d": -0}'],
  ['the order of keys', '{"b":1,"a":2,"10":3,"2":4}'],
  ['duplicate keys', '{"a":1,"a":2,"a":{"a":3,"a":4}}'],
  ['a member named __proto__', '{"__proto__":{"x":1},"constructor":null}'],
  ['escapes as written', '{"\\u0061":"\\u00e9\\/\\n","é":"\\u2028"}'],
  ['lone surrogates as escapes', '{"a":"\\ud83d","\\ude00":1}'],
  ['white space', '{\n\t"a" : [ 1 , 2 ]\r\n}'],
  ['brackets and quotes in strings', '{"}":"{[\\"","\\\\":"]"}'],
  ['an empty object', '{}'],
] as const;

/** JSON texts in the styles of people and programs, not only of `JSON.stringify`. */
export const jsonText = fc.letrec<{ value: string; object: string }>((tie) => {
  const space = fc.constantFrom('', ' ', '\n', '\t ', '\r\n');
  const string = fc.oneof(
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.constantFrom('"\\ud83d"', '"\\u0041\\/"', '"\\uDE00x"', '"__proto__"', '"\\"jobs\\":["'),
  );
  const number = fc.constantFrom('1.0', '1e400', '-0', '9223372036854775808', '1E+2', '0.10');
  const array = fc
    .tuple(space, fc.array(tie('value'), { maxLength: 3 }))
    .map(([gap, items]) => `[${gap}${items.join(`${gap},`)}${gap}]`);
  const object = fc
    .tuple(space, fc.array(fc.tuple(string, tie('value')), { maxLength: 4 }))
    .map(
      ([gap, members]) =>
        `{${gap}${members.map(([name, value]) => `${name}${gap}:${gap}${value}`).join(`,${gap}`)}${gap}}`,
    );
  return {
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom('null', 'true', 'false'),
      string,
      number,
      array,
      tie('object'),
    ),
    object,
  };
}).object;
