import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { finishBatch } from '../../../../lambdas/domain/batch/finish-batch.ts';
import { jobIdOf } from '../../../../lambdas/domain/identity.ts';
import { readTotal } from '../../../../lambdas/domain/total/read-total.ts';
import { aBox } from '../../../support/box.ts';
import { aDeployment, meuse, postBatch } from '../../../support/domain/deployment.ts';
import { FIELD } from '../../../support/domain/polygons.ts';
import { runJob } from '../../../support/domain/run-job.ts';
import { runCheck } from '../../raster/run-check.ts';

const checked = z.object({
  area: z.number(),
  predicted: z.number(),
  mean: z.number(),
  lower: z.number(),
  upper: z.number(),
});

/** Adjacent, distant and overlapping fields, one of 3 m × 3 m, one with a hole, and one partly without data. */
const FIELDS = [
  ...[0, 1, 2].map((i) => aBox(5.7365 + i * 0.002, 50.9744, 5.7385 + i * 0.002, 50.976)),
  aBox(5.755, 50.983, 5.7575, 50.985),
  aBox(5.74252, 50.97402, 5.74256, 50.97405),
  FIELD,
  aBox(5.731, 50.9652, 5.7345, 50.972),
  aBox(5.7375, 50.9748, 5.7395, 50.977),
];

it('the total of a farm agrees with a plain double sum over all cells of its fields', async () => {
  const deployment = aDeployment();
  const jobs = FIELDS.map((polygon) => ({ polygon, year: 2024 }));
  const { batch_id: batchId } = await postBatch(deployment, jobs);
  for (const index of jobs.keys()) await runJob(deployment, batchId, index);
  await finishBatch(deployment, batchId);
  const batch = await deployment.batches.readBatch(batchId);
  if (batch === null) throw new Error('no batch');
  const { totals } = await readTotal(deployment, [batch], async () => undefined);
  const total = totals[0]?.total;

  const folder = mkdtempSync(path.join(tmpdir(), 'total-'));
  try {
    const fields = FIELDS.map((polygon, index) => {
      const file = path.join(folder, `${index}.tif`);
      writeFileSync(file, deployment.rasters.read(batchId, jobIdOf(batchId, index)) ?? '');
      const touched = index === 4;
      return { path: file, polygon, touched, proj4: meuse.manifest.grid.crs.proj4 };
    });
    const { error } = meuse.manifest;
    const declared = {
      correlation: { nugget: error?.correlation?.nugget, range: error?.correlation?.range_m },
      z: 1.6448536269514722,
      systematic: error?.systematic_relative_sd,
      standardised: error?.standardised_sd,
    };
    const expected = checked.parse(
      await runCheck('check_total.py', [], JSON.stringify({ fields, ...declared })),
    );
    expect(Math.abs((total?.mean ?? 0) / expected.mean - 1)).toBeLessThan(1e-4);
    expect(Math.abs((total?.predictedHectares ?? 0) / expected.predicted - 1)).toBeLessThan(1e-4);
    for (const side of ['lower', 'upper'] as const) {
      const half = (total?.interval?.[side] ?? 0) - (total?.mean ?? 0);
      expect(Math.abs(half / (expected[side] - expected.mean) - 1)).toBeLessThan(0.005);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
