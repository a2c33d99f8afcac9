import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../../lambdas/domain/identity.ts';
import { aDeployment, postBatch } from '../../../support/domain/deployment.ts';
import { runJob } from '../../../support/domain/run-job.ts';
import { aManifest, aPack } from '../../../support/model/builders.ts';
import { aGeoTiff } from '../../../support/model/geotiff-file.ts';
import { checkCog } from '../../raster/gdal.ts';

const box = (west: number, east: number): [number, number][] => [
  [west, -17],
  [east, -17],
  [east, -16],
  [west, -16],
  [west, -17],
];
const acrossAntimeridian = (west: number, east: number) => ({
  type: 'MultiPolygon' as const,
  coordinates: [[box(west, 180)], [box(-180, east)]],
});

function packOn(
  origin: [number, number],
  width: number,
  coverage: ReturnType<typeof aManifest>['coverage'] = acrossAntimeridian(178, -178),
) {
  const world = aGeoTiff({
    values: Array.from({ length: 360 * 180 }, (_, i) => ((i % 360) % 7) - 3),
    width: 360,
    height: 180,
    origin: [-180, 90],
    cellSize: 1,
    epsg: 4326,
  });
  const manifest = aManifest({
    coverage,
    points_per_second: 100_000,
    grid: {
      crs: { epsg: 4326, name: 'WGS 84', proj4: '+proj=longlat +datum=WGS84' },
      ...{ origin, width, height: 18_000, cell_size: 0.01, tile_size: 64, block_tiles: 1 },
    },
    covariates: aManifest().covariates.map((covariate) =>
      covariate.kind === 'raster'
        ? { ...covariate, href: 'world.tif', resampling: 'nearest' as const }
        : covariate,
    ),
  });
  const forest = readFileSync('test/fixtures/onnx/forest.onnx');
  return aPack(manifest, { 'forest.onnx': forest, 'world.tif': world });
}

describe('a job across the antimeridian', () => {
  it.each<[string, [number, number], number]>([
    ['that continues beyond 180°', [177, 90], 600],
    ['of the whole Earth', [-180, 90], 36_000],
  ])('has one raster without gaps if its pack has a grid %s', async (_, origin, width) => {
    const deployment = aDeployment([await packOn(origin, width)]);
    const job = { polygon: acrossAntimeridian(179.5, -179.6), year: 2020 };
    const { batch_id: batchId } = await postBatch(deployment, [job], { hectares_per_job: 2e6 });
    expect(await runJob(deployment, batchId)).toMatchObject({ kind: 'assembled' });
    const record = await deployment.jobs.read(batchId, 0);
    expect(record?.warnings?.map(({ code }) => code)).toEqual(['static_model']);
    expect(record).toMatchObject({ point_count: 90 * 100, predicted_points: 90 * 100 });
    const bytes = deployment.rasters.read(batchId, jobIdOf(batchId, 0));
    if (bytes === undefined) throw new Error('no raster');
    const { valid, warnings, epsg, transform, band_tags } = await checkCog(bytes);
    expect({ valid, warnings, epsg }).toEqual({ valid: true, warnings: [], epsg: 4326 });
    expect(transform[2]).toBeCloseTo(179.5, 9);
    expect(Number(band_tags[0]?.['STATISTICS_VALID_PERCENT'])).toBeGreaterThan(97);
  });

  it('has a coverage warning only if the coverage ends at the antimeridian', async () => {
    const coverage = { type: 'Polygon' as const, coordinates: [box(178, 180)] };
    const deployment = aDeployment([await packOn([177, 90], 600, coverage)]);
    const job = { polygon: acrossAntimeridian(179.5, -179.6), year: 2020 };
    const { batch_id: batchId } = await postBatch(deployment, [job], { hectares_per_job: 2e6 });
    await runJob(deployment, batchId);
    const codes = (await deployment.jobs.read(batchId, 0))?.warnings?.map(({ code }) => code);
    expect(codes).toEqual(['static_model', 'partly_outside_coverage']);
  });
});
