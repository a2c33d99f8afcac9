import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/batch/creation-response.ts';
import { inMemoryService, job, statusCall } from './service.ts';

/** The text between `"metadata":` and the next field of the status, for the given text. */
async function returned(metadata: string): Promise<string> {
  const service = inMemoryService();
  const body = `{"metadata":${metadata},"jobs":[${JSON.stringify(job())}]}`;
  const created = await service.create({ body });
  expect(created.status).toBe(202);
  const { batch_id } = creationResponse.parse(created.body);
  const status = await service.batchStatus(statusCall(batch_id));
  const start = status.text.indexOf('"metadata":') + '"metadata":'.length;
  const end = status.text.lastIndexOf(',"jobs":[{"job_id"');
  return status.text.slice(start, end);
}

/** JSON texts as people and programs write them, not only as `JSON.stringify` does. */
const jsonText = fc.letrec<{ value: string; object: string }>((tie) => {
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

describe('the metadata of a batch', () => {
  it.each([
    ['number spelling', '{"a": 1.0, "b": 1e400, "c": 9223372036854775808, "d": -0}'],
    ['the order of keys', '{"b":1,"a":2,"10":3,"2":4}'],
    ['duplicate keys', '{"a":1,"a":2,"a":{"a":3,"a":4}}'],
    ['a member named __proto__', '{"__proto__":{"x":1},"constructor":null}'],
    ['escapes as written', '{"\\u0061":"\\u00e9\\/\\n","é":"\\u2028"}'],
    ['lone surrogates as escapes', '{"a":"\\ud83d","\\ude00":1}'],
    ['white space', '{\n\t"a" : [ 1 , 2 ]\r\n}'],
    ['brackets and quotes in strings', '{"}":"{[\\"","\\\\":"]"}'],
    ['an empty object', '{}'],
  ])('comes back byte for byte: %s', async (_, text) => {
    expect(await returned(text)).toBe(text);
  });

  it('is returned byte for byte for any JSON object', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, async (text) => {
        expect(await returned(text)).toBe(text);
      }),
      { numRuns: 200 },
    );
  });

  it('is null when none was sent', async () => {
    const service = inMemoryService();
    const created = await service.create({ body: JSON.stringify({ jobs: [job()] }) });
    const { batch_id } = creationResponse.parse(created.body);
    expect((await service.batchStatus(statusCall(batch_id))).text).toContain('"metadata":null');
  });
});
