import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { creationResponse } from '../../../lambdas/api/operations/create-batch.ts';
import { inMemoryService, job, statusCall } from '../../support/api/service.ts';
import { EXACT_TEXTS, jsonText } from './json-text.ts';

/** Creates a batch with the given metadata, and returns their text in the batch's status. */
async function readReturnedMetadata(metadata: string): Promise<string> {
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

describe('the metadata of a batch', () => {
  it.each(EXACT_TEXTS)('is returned byte for byte: %s', async (_, text) => {
    expect(await readReturnedMetadata(text)).toBe(text);
  });

  it('is returned byte for byte for any JSON object', async () => {
    await fc.assert(
      fc.asyncProperty(jsonText, async (text) => {
        expect(await readReturnedMetadata(text)).toBe(text);
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
