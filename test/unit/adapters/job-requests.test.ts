import { describe, expect, it, vi } from 'vitest';
import { s3JobRequests } from '../../../lambdas/adapters/s3/job-requests.ts';
import { newBatchId } from '../../../lambdas/domain/identity.ts';
import type { JobEntry } from '../../../lambdas/domain/job/job-requests.ts';
import { NO_AREA } from '../../../lambdas/domain/job/planning/measured-area.ts';
import { NO_PARTS } from '../../support/domain/builders.ts';

function kept(index = '[]') {
  const objects = new Map<string, string | Uint8Array>();
  const reads: string[] = [];
  const read = async (key: string) => {
    reads.push(key);
    return Buffer.from(objects.get(key) ?? index);
  };
  const write = async (key: string, body: string | Uint8Array) => void objects.set(key, body);
  return { objects, reads, requests: s3JobRequests({ read, write }) };
}

const batchId = newBatchId(new Date());
const job = { offset: 2, length: 9, name: null, year: 2024, model: null };
const retryOf = { batchId, index: 7 };
/** `Required`, so that a new field does not compile until it is here, and fails until it is stored. */
const whole: Required<JobEntry> = {
  ...job,
  squareMetres: 3,
  chargedSquareMetres: 40,
  retryOf,
  parts: { properties: { start: 30, end: 32 }, coordinates: { start: 4, end: 20 } },
};

/** {@link whole} as it is stored. */
const ROW = `[2,9,2024,null,null,3,["${batchId}",7],40,[30,32,4,20]]`;

describe('the index of a request', () => {
  it.each([
    { ...job, ...NO_AREA, parts: NO_PARTS },
    { ...job, squareMetres: 3, chargedSquareMetres: 40, parts: NO_PARTS },
    { ...whole, parts: { ...whole.parts, coordinates: null } },
    whole,
  ])('is read as it was written: %o', async (entry) => {
    const { requests } = kept();
    await requests.write(batchId, new Uint8Array(), [entry, entry]);
    expect(await requests.entries(batchId)).toEqual([entry, entry]);
  });

  it('is read once for the steps of one batch, and again after another batch', async () => {
    const { reads, requests } = kept(`[${ROW}]`);
    const other = newBatchId(new Date());
    await Promise.all([requests.entries(batchId), requests.entries(batchId)]);
    expect(await requests.entries(batchId)).toEqual([whole]);
    expect(reads).toHaveLength(1);
    await requests.entries(other);
    await requests.entries(batchId);
    expect(reads).toHaveLength(3);
  });

  it('is read again after a failure', async () => {
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

  it('is read without the cells of a newer version', async () => {
    const newer = ROW.replace(/]$/, ',"newer",null]');
    expect(await kept(`[${newer}]`).requests.entries(batchId)).toEqual([whole]);
  });
});
