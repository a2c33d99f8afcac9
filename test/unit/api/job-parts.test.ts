import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsIn } from '../../../local/in-memory/files.ts';
import { batchOf } from '../../support/api/batch-with-results.ts';
import { COG } from '../../support/api/completed-result.ts';
import { completedJob } from '../../support/api/job-records.ts';
import { type Answer, jobCall, POLYGON } from '../../support/api/service.ts';
import { runs } from '../../support/runs.ts';
import { jsonText } from './json-text.ts';

/** CPU time of the second response, in ms. */
async function cpuOf(read: () => Promise<Answer>): Promise<number> {
  await read();
  const before = process.cpuUsage();
  const { text } = await read();
  const { user, system } = process.cpuUsage(before);
  expect(text).toMatch(/properties":{"a":1}/);
  return (user + system) / 1_000;
}

const space = fc.constantFrom('', ' ', '\n', '\t\r\n  ');
const geometry = fc.constantFrom(
  JSON.stringify(POLYGON),
  '{"type":"Polygon", "a":[{"coordinates":1}], "coordinates" :[ [[5.7,5.1e1],[5.80,51],[5.8,51.1,2],[5.7,5.1e1]] ]}',
  '{"coordinates":[[[[5.7,51],[5.8,51],[5.8,51.1],[5.7,51]]]],"type":"MultiPol\\u0079gon"}',
  '{"type":"Polygon","coordinates":[[[5.7,51,"a \\u0020b"],[5.8,51],[5.8,51.1],[5.7,51]]]}',
  '{"type":"Polygon","coordinates":[[[5.7,51],[5.8,51],[5.8,51.1],[5.7,52]]]}',
  '{"type":"Polygon","coordinates":{"type":"Feature"}}',
  '{"type":"Point","coordinates":[5.7,51]}',
);
const properties = fc.oneof(fc.constantFrom('null', '7', `{"a":"${'a'.repeat(2_100)}"}`), jsonText);
const fields = (...of: fc.Arbitrary<string>[]) =>
  fc
    .tuple(space, ...of)
    .map(([between = '', ...all]) => `{${all.filter(Boolean).join(`${between},`)}}`);
const named = (name: string, value: fc.Arbitrary<string>) =>
  fc
    .tuple(space, value, space)
    .map(([before, text, after]) => `"${name}"${before}:${text}${after}`);
const maybe = (field: fc.Arbitrary<string>) => fc.oneof(fc.constant(''), field);
const polygon = fc.oneof(
  geometry,
  fields(
    maybe(named('properties', properties)),
    named('geometry', fc.oneof(geometry, fc.constant('null'))),
    fc.constant('"type":"Feature"'),
    maybe(named('foreign', jsonText)),
  ),
  fc.constantFrom('null', '"text"', '[]', '{"type":["Feature"],"geometry":{}}'),
);
const own = named('properties', fc.constantFrom('null', '{}', '{"a" : 1.0}'));
const job = fields(maybe(own), named('polygon', polygon), fc.constant('"\\u0079ear":2020'));

describe('the parts of a job that creation finds', () => {
  it('are those that a search of its text finds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(job, { minLength: 1, maxLength: 4 }), async (jobs) => {
        const { service, batchId } = await batchOf(...jobs);
        const request = service.requests.get(batchId);
        if (request === undefined) throw new Error('no request');
        for (const { offset, length, parts } of request.entries) {
          expect(parts).toMatchObject(partsIn(request.text.subarray(offset, offset + length)));
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('are all that a read of a job takes of a text of megabytes', async () => {
    const filler = `{${Array.from({ length: 250_000 }, (_, i) => `"${i.toString(36)}":1`).join(',')}}`;
    const feature = `{"foreign":${filler},"type":"Feature","properties":{"a":1},"geometry":${JSON.stringify(POLYGON)}}`;
    const batch = await batchOf(`{"year":2020,"polygon":${feature}}`);
    const { service, batchId, jobIds, results } = batch;
    service.jobs.set(`${batchId}/0`, completedJob(0));
    service.rasters.set(`${batchId}/${jobIds[0]}`, COG);
    const item = { parameters: { batch_id: batchId, job_id: jobIds[0] ?? '' } };
    const reads = [
      () => service.jobStatus(jobCall(batchId, jobIds[0] ?? '')),
      results,
      () => results('stac'),
      () => service.resultItem(item),
    ];
    for (const read of reads) expect(await cpuOf(read)).toBeLessThan(100);
    // Without a result.
    service.jobs.delete(`${batchId}/0`);
    expect(await cpuOf(() => results('stac'))).toBeLessThan(100);
  });
});
