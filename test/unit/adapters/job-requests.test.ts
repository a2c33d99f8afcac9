import { describe, expect, it, vi } from 'vitest';
import { s3JobRequests } from '../../../lambdas/adapters/s3/job-requests.ts';
import { newBatchId } from '../../../lambdas/domain/identity.ts';
import type { JobHead, RequestedJob } from '../../../lambdas/domain/job/requested-job.ts';
import { inMemoryRequests } from '../../../local/in-memory/files.ts';

const batchId = newBatchId(new Date());
/** `Required`, so that a new field is a type error until it is added here. */
const head: Required<JobHead> = {
  name: 'Äcker',
  year: 2024,
  model: 'meuse-soc',
  hasProperties: true,
  squareMetres: 3,
  chargedSquareMetres: 40,
  retryOf: { batchId, index: 7 },
};
const ring = [
  [5.7, 51],
  [5.8, 51],
  [5.8, 51.1],
  [5.7, 51],
] as const;
const valid: RequestedJob = {
  geometry: { kind: 'valid', polygon: [[ring]] },
  polygonSha256: 'be76',
  properties: { parcel: 'É-17' },
  warnings: [],
};
const invalid: RequestedJob = {
  geometry: {
    kind: 'invalid',
    polygon: null,
    error: {
      code: 'ring_not_closed',
      message: 'is not closed',
      location: { ring: 0, vertex: 3, lon: 5.7, lat: 51 },
    },
  },
  polygonSha256: 'dbb2',
  properties: null,
  warnings: [{ code: 'properties_dropped', message: 'too large' }],
};

describe('the jobs of a batch', () => {
  it('are read as they were written, one by one or all together', async () => {
    const requests = inMemoryRequests();
    const { retryOf: _, ...first } = head;
    await requests.write(batchId, [
      { head: first, job: invalid },
      { head, job: valid },
    ]);
    const entries = await requests.entries(batchId);
    expect(entries).toMatchObject([first, head]);
    expect(entries[0]).not.toHaveProperty('retryOf');
    const each = await Promise.all(entries.map((entry) => requests.job(batchId, entry)));
    expect(each).toEqual([invalid, valid]);
    expect(entries.map(await requests.jobs(batchId))).toEqual([invalid, valid]);
  });

  it('are stored as lines of JSON', async () => {
    const requests = inMemoryRequests();
    const jobs = [{ properties: { of: 'one' } }, { properties: { of: '\n' } }];
    await requests.put(
      batchId,
      jobs.map((job) => ({ polygon: null, year: 2024, ...job })),
    );
    const lines = String(requests.objects.get(`requests/${batchId}.jsonl`))
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject(jobs);
  });
});

describe('the index of a batch', () => {
  it('is fetched once for several reads of one batch, and again after another batch was read', async () => {
    const read = vi.fn().mockResolvedValue(Buffer.from('[]'));
    const requests = s3JobRequests({ read, write: async () => {} });
    const other = newBatchId(new Date());
    await Promise.all([requests.entries(batchId), requests.entries(batchId)]);
    await requests.entries(batchId);
    expect(read).toHaveBeenCalledTimes(1);
    await requests.entries(other);
    await requests.entries(batchId);
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('is fetched again after a failure', async () => {
    const requests = s3JobRequests({
      read: vi
        .fn()
        .mockRejectedValueOnce(new Error('slow down'))
        .mockResolvedValue(Buffer.from('[]')),
      write: async () => {},
    });
    await expect(requests.entries(batchId)).rejects.toThrow('slow down');
    expect(await requests.entries(batchId)).toEqual([]);
  });
});
