import { describe, expect, it } from 'vitest';
import { refundFor } from '../../../../lambdas/domain/batch/finish-batch.ts';
import type { JobErrorCode, JobRecord } from '../../../../lambdas/domain/job/job.ts';
import { failedJob, processingJob } from '../../../support/api/job-records.ts';
import { aBatch } from '../../../support/domain/builders.ts';

const AT = '2026-03-01T10:00:00.000Z';
const NEXT_DAY = '2026-03-02T00:00:00.000Z';

const batch = aBatch({ tenant: 'acme' }, new Date(AT));
const CHARGES = [10_001, 20_002, 40_004];
const ports = {
  jobRequests: {
    entries: async () =>
      CHARGES.map((chargedSquareMetres, index) => ({
        offset: index,
        length: 1,
        name: null,
        year: 2024,
        model: null,
        squareMetres: 1,
        chargedSquareMetres,
        hasProperties: false,
      })),
  },
};

function failed(index: number, code: JobErrorCode): JobRecord {
  return { ...failedJob(index), error: { code, message: 'why', location: null } };
}

describe('the refund of a finished batch', () => {
  it('includes jobs that failed because of a fault in the service', async () => {
    const jobs = [failed(0, 'internal'), failed(1, 'area_over_limit'), failed(2, 'deadline')];
    expect(await refundFor(ports, batch, jobs)).toEqual({
      tenant: 'acme',
      day: '2026-03-01',
      amount: { jobs: 2, squareMetres: 50_005 },
      bounded: { jobs: 0, squareMetres: 0 },
    });
  });

  it('includes jobs that were cancelled before planning, within a limit', async () => {
    const jobs = [
      failed(0, 'internal'),
      { ...processingJob(1), ...failed(1, 'cancelled') },
      failed(2, 'cancelled'),
    ];
    expect(await refundFor(ports, batch, jobs)).toMatchObject({
      amount: { jobs: 1, squareMetres: 10_001 },
      bounded: { jobs: 1, squareMetres: 40_004 },
    });
  });

  it('includes jobs whose model is broken, within a limit, because a client may cause that', async () => {
    const jobs = [failed(0, 'model_invalid'), failed(1, 'internal')];
    expect(await refundFor(ports, batch, jobs)).toMatchObject({
      amount: { jobs: 1, squareMetres: 20_002 },
      bounded: { jobs: 1, squareMetres: 10_001 },
    });
  });

  it.each(['no_valid_cells', 'outside_coverage'] as const)(
    'is absent for jobs that failed with %s',
    async (code) => {
      expect(await refundFor(ports, batch, [failed(0, code)])).toBeNull();
    },
  );

  it('is credited to the charged day, however late the batch ends', async () => {
    const late = { ...failed(0, 'deadline'), updated_at: NEXT_DAY };
    expect(await refundFor(ports, batch, [late])).toMatchObject({ day: '2026-03-01' });
  });

  it('is decided without reading the index of the jobs if no job is refunded', async () => {
    const unread = {
      jobRequests: {
        entries: async () => {
          throw new Error('read');
        },
      },
    };
    expect(await refundFor(unread, batch, [failed(0, 'no_valid_cells')])).toBeNull();
  });
});
