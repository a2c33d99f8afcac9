import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { coveragePolygonsOf } from '../../../engine/model/pack/manifest.ts';
import { loadPack } from '../../../engine/model/pack/pack.ts';
import { openPackFolder } from '../../../engine/model/pack/pack-folder.ts';
import { jobIdOf } from '../../../lambdas/domain/identity.ts';
import { aDeployment, meuse, postBatch } from '../../support/domain/deployment.ts';
import { runJob } from '../../support/domain/run-job.ts';
import { checkCog } from '../raster/gdal.ts';

const PACK = 'models/deployment-check';
const folder = mkdtempSync(join(tmpdir(), 'deployment-check-'));
afterAll(() => rmSync(folder, { recursive: true }));

const pack = await loadPack(openPackFolder(PACK));
const { manifest } = pack;

function deployRecording() {
  const deployment = aDeployment([meuse, pack]);
  const copies: { readonly ref: string; readonly length: number }[] = [];
  const { rasters } = deployment;
  const beginJob: typeof rasters.begin = async (batchId, jobId, summary) => {
    const upload = await rasters.begin(batchId, jobId, summary);
    return {
      ...upload,
      copyPart: (part, ref, offset, length) => {
        copies.push({ ref, length });
        return upload.copyPart(part, ref, offset, length);
      },
    };
  };
  return { deployment: { ...deployment, rasters: { ...rasters, begin: beginJob } }, copies };
}

describe('the pack deployment-check', { timeout: 120_000 }, () => {
  it('equals the output of its script', () => {
    execFileSync('.local/venv/bin/python', [`${PACK}/make.py`, '--out', folder]);
    const names = readdirSync(join(PACK, 'build'));
    expect(readdirSync(folder)).toEqual(names);
    for (const name of names) {
      const made = readFileSync(join(folder, name));
      expect(made.equals(readFileSync(join(PACK, 'build', name))), name).toBe(true);
    }
  });

  it('says that it is synthetic', () => {
    expect(manifest.title).toMatch(/^Synthetic .* not a soil map/);
    expect(manifest.property.name).toBe('synthetic noise');
  });

  it('has results for which S3 copies a range of each block', async () => {
    const { deployment, copies } = deployRecording();
    const polygon = manifest.coverage;
    const { batch_id: batchId } = await postBatch(deployment, [
      { polygon, year: 2026, model: manifest.id },
    ]);
    expect((await runJob(deployment, batchId)).kind).toBe('assembled');
    const bytes = deployment.rasters.read(batchId, jobIdOf(batchId, 0)) ?? new Uint8Array();
    expect(bytes.length).toBeGreaterThan(10 * 1024 ** 2);
    expect(new Set(copies.map(({ ref }) => ref)).size).toBe(2);
    expect(Math.min(...copies.map(({ length }) => length))).toBeGreaterThanOrEqual(5 * 1024 ** 2);
    const { grid, bands } = manifest;
    expect(await checkCog(bytes)).toMatchObject({
      ...{ valid: true, errors: [], warnings: [], epsg: grid.crs.epsg },
      ...{ width: grid.width, height: grid.height, bands: bands.length },
    });
  });

  it('covers a place in the South Pacific, and is marked as a pack for checks', () => {
    expect(manifest.for_checks).toBe(true);
    const [[shell = []] = []] = coveragePolygonsOf(manifest);
    for (const [lon, lat] of shell) {
      expect(Math.abs(lon + 123)).toBeLessThan(0.1);
      expect(Math.abs(lat + 48.88)).toBeLessThan(0.1);
    }
  });
});
