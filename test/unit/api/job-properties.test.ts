import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { estimateResponse } from '../../../lambdas/api/operations/estimate-response.ts';
import { jobStatusResponse } from '../../../lambdas/api/operations/job-status.ts';
import { LIMITS } from '../../../lambdas/domain/limits.ts';
import { failedJob, processingJob } from '../../support/api/job-records.ts';
import { inMemoryService, jobCall, POLYGON, statusCall } from '../../support/api/service.ts';
import { runs } from '../../support/runs.ts';
import { jsonText } from './json-text.ts';

const polygon = JSON.stringify(POLYGON);
const makeJobText = (text: string) => `{"properties":${text},"year":2020,"polygon":${polygon}}`;
const makeFeatureJobText = (text: string, own = '') =>
  `{"polygon":{"type":"Feature","id":"A-17","properties": ${text} ,"geometry":${polygon}},"year":2020${own}}`;

async function createJobs(...jobs: readonly string[]) {
  const service = inMemoryService();
  const response = await service.create({ body: `{"jobs":[${jobs.join(' , ')}]}` });
  expect(response.status).toBe(202);
  const { batch_id: batchId, job_ids } = creationResponse.parse(response.body);
  return { service, batchId, jobIds: job_ids };
}

async function readLastJob(...jobs: readonly string[]) {
  const { service, batchId, jobIds } = await createJobs(...jobs);
  const { body } = await service.jobStatus(jobCall(batchId, jobIds.at(-1) ?? ''));
  return jobStatusResponse.parse(body);
}

const makeProperties = (bytes: number) => `{"a":"${'a'.repeat(bytes - 8)}"}`;
const nestObjects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

describe('the properties of a job', () => {
  it('are returned as JSON.stringify writes them, whatever JSON object they are', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, jsonText, async (first, second) => {
        const text = JSON.stringify(JSON.parse(second));
        fc.pre(Buffer.byteLength(text) <= LIMITS.propertiesBytes);
        const service = await createJobs(makeFeatureJobText(first), makeJobText(second));
        const { text: status } = await service.service.jobStatus(
          jobCall(service.batchId, service.jobIds.at(-1) ?? ''),
        );
        expect(status).toContain(`"properties":${text},`);
      }),
      { numRuns: runs(100) },
    );
  });

  it('come from the job if both the job and its Feature have some', async () => {
    const own = ',"properties":{"of": "job"}';
    const { properties } = await readLastJob(makeFeatureJobText('{"of":"feature"}', own));
    expect(properties).toEqual({ of: 'job' });
  });

  it.each([
    ['a job without properties', `{"polygon":${polygon},"year":2020}`],
    ['a Feature with null properties', makeFeatureJobText('null')],
    [
      'a Feature with an array of properties, which GeoJSON does not allow',
      makeFeatureJobText('[1]'),
    ],
    [
      'a geometry that has `properties`',
      `{"polygon":{"properties":{},${polygon.slice(1)},"year":2020}`,
    ],
  ])('are null for %s', async (_, text) => {
    expect((await readLastJob(text)).properties).toBeNull();
  });

  it('may be as large as the limit', async () => {
    const spaced = makeProperties(LIMITS.propertiesBytes).replace(':', ' : ');
    const properties: unknown = JSON.parse(spaced);
    expect(await readLastJob(makeJobText(spaced))).toMatchObject({ properties });
    const ofFeature = await readLastJob(makeFeatureJobText(spaced));
    expect(ofFeature).toMatchObject({ properties, name: 'A-17', warnings: [] });
  });

  it('are dropped with a warning if a Feature has larger ones', async () => {
    const text = makeFeatureJobText(makeProperties(LIMITS.propertiesBytes + 1));
    const status = await readLastJob(text);
    expect(status.properties).toBeNull();
    expect(status.warnings).toEqual([
      { code: 'properties_dropped', message: expect.stringMatching(/2049 bytes.*2048/) },
    ]);
    const estimate = await inMemoryService().estimate({ body: `{"jobs":[${text}]}` });
    const warnings = estimateResponse.parse(estimate.body).jobs[0]?.warnings ?? [];
    expect(warnings.map(({ code }) => code)).toContain('properties_dropped');
  });

  it('are dropped with a warning if a Feature nests them too deeply', async () => {
    const kept = await readLastJob(makeFeatureJobText(nestObjects(LIMITS.jsonDepth)));
    expect(kept).toMatchObject({ properties: { a: {} }, warnings: [] });
    const status = await readLastJob(makeFeatureJobText(nestObjects(LIMITS.jsonDepth + 1)));
    expect(status).toMatchObject({ properties: null, warnings: [{ code: 'properties_dropped' }] });
  });

  it('cause a single warning if they are dropped, whether the job was planned or failed before planning', async () => {
    const { service, batchId, jobIds } = await createJobs(
      makeFeatureJobText(makeProperties(3_000)),
    );
    const { message } =
      (await readLastJob(makeFeatureJobText(makeProperties(3_000)))).warnings[0] ?? {};
    const warning = { code: 'properties_dropped', message: message ?? '' } as const;
    for (const record of [{ ...processingJob(0), warnings: [warning] }, failedJob(0)]) {
      await service.storeJob(batchId, record);
      const { body } = await service.jobStatus(jobCall(batchId, jobIds[0] ?? ''));
      expect(jobStatusResponse.parse(body).warnings).toEqual([warning]);
    }
  });

  it('are not in the batch status', async () => {
    const { service, batchId } = await createJobs(makeJobText('{"a":1}'));
    expect((await service.batchStatus(statusCall(batchId))).text).not.toContain('properties');
  });
});
