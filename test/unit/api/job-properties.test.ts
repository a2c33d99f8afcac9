import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spansOf, textOf } from '../../../engine/json/json-spans.ts';
import { creationResponse } from '../../../lambdas/api/definitions/batch-responses.ts';
import { estimateResponse } from '../../../lambdas/api/definitions/estimate-response.ts';
import { jobStatusResponse } from '../../../lambdas/api/definitions/jobs.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { failedJob, processingJob } from '../../support/api/job-records.ts';
import { inMemoryService, jobCall, POLYGON, statusCall } from '../../support/api/service.ts';
import { EXACT_TEXTS, jsonText } from './json-text.ts';

const polygon = JSON.stringify(POLYGON);
const withOwn = (text: string) => `{"properties":${text},"year":2020,"polygon":${polygon}}`;
const withFeature = (text: string, own = '') =>
  `{"polygon":{"type":"Feature","id":"A-17","properties": ${text} ,"geometry":${polygon}},"year":2020${own}}`;

async function created(...jobs: readonly string[]) {
  const service = inMemoryService();
  const response = await service.create({ body: `{"jobs":[${jobs.join(' , ')}]}` });
  expect(response.status).toBe(202);
  const { batch_id: batchId, job_ids } = creationResponse.parse(response.body);
  return { service, batchId, jobIds: Object.values(job_ids) };
}

/** The text of `properties` in the status of the last job, and the parsed status. */
async function lastJob(...jobs: readonly string[]) {
  const { service, batchId, jobIds } = await created(...jobs);
  const { text, body } = await service.jobStatus(jobCall(batchId, jobIds.at(-1) ?? ''));
  const status = jobStatusResponse.parse(body);
  const bytes = new TextEncoder().encode(text);
  const sent = spansOf(bytes, { properties: {} }).get('properties');
  return { status, sent: sent === undefined ? null : textOf(bytes, sent) };
}

const sized = (bytes: number) => `{"a":"${'a'.repeat(bytes - 8)}"}`;

describe('the properties of a job', () => {
  it.each(EXACT_TEXTS)('come back byte for byte: %s', async (_, text) => {
    expect((await lastJob(withOwn(text))).sent).toBe(text);
    expect((await lastJob(withFeature(text))).sent).toBe(text);
  });

  it('come back byte for byte for any JSON object', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, jsonText, async (first, second) => {
        fc.pre(Buffer.byteLength(second) <= LIMITS.propertiesBytes);
        const { sent } = await lastJob(
          withFeature(first),
          withFeature('{"of":1}'),
          withOwn(second),
        );
        expect(sent).toBe(second);
      }),
      { numRuns: 200 },
    );
  });

  it('are those of the job, if it has some beside those of its Feature', async () => {
    const { sent } = await lastJob(withFeature('{"of":"feature"}', ',"properties":{"of": "job"}'));
    expect(sent).toBe('{"of": "job"}');
  });

  it.each([
    ['a job without', `{"polygon":${polygon},"year":2020}`],
    ['a Feature with null', withFeature('null')],
    ['a Feature with an array, which GeoJSON does not allow', withFeature('[1]')],
    [
      'a geometry with a foreign field',
      `{"polygon":{"properties":{},${polygon.slice(1)},"year":2020}`,
    ],
  ])('are null for %s', async (_, text) => {
    expect((await lastJob(text)).status.properties).toBeNull();
  });

  it('may be as large as the limit', async () => {
    const text = sized(LIMITS.propertiesBytes);
    expect((await lastJob(withOwn(text))).sent).toBe(text);
    expect((await lastJob(withFeature(text))).status).toMatchObject({ name: 'A-17', warnings: [] });
  });

  it('of a Feature are dropped with a warning if they are larger', async () => {
    const text = withFeature(sized(LIMITS.propertiesBytes + 1));
    const { status } = await lastJob(text);
    expect(status.properties).toBeNull();
    expect(status.warnings).toEqual([
      { code: 'properties_dropped', message: expect.stringMatching(/2049 bytes.*2048/) },
    ]);
    const estimate = await inMemoryService().estimate({ body: `{"jobs":[${text}]}` });
    const warnings = estimateResponse.parse(estimate.body).jobs[0]?.warnings ?? [];
    expect(warnings.map(({ code }) => code)).toContain('properties_dropped');
  });

  it('cause one warning, whether the job was planned or failed before', async () => {
    const { service, batchId, jobIds } = await created(withFeature(sized(3_000)));
    const { message } = (await lastJob(withFeature(sized(3_000)))).status.warnings[0] ?? {};
    const warning = { code: 'properties_dropped', message: message ?? '' } as const;
    for (const record of [{ ...processingJob(0), warnings: [warning] }, failedJob(0)]) {
      service.jobs.set(`${batchId}/0`, record);
      const { body } = await service.jobStatus(jobCall(batchId, jobIds[0] ?? ''));
      expect(jobStatusResponse.parse(body).warnings).toEqual([warning]);
    }
  });

  it('are not in the batch status', async () => {
    const { service, batchId } = await created(withOwn('{"a":1}'));
    expect((await service.batchStatus(statusCall(batchId))).text).not.toContain('properties');
  });
});
