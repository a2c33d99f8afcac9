import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openStoredRaster } from '../../../bin/verify/stored-raster.ts';
import { buildGdalMetadata } from '../../../engine/raster/cog/metadata.ts';
import {
  parseProvenance,
  provenanceTags,
} from '../../../lambdas/domain/job/finishing/provenance.ts';
import { aGeoTiff, cellsOf } from '../../support/model/geotiff-file.ts';
import { raster } from '../../support/raster/builders.ts';

const folder = mkdtempSync(join(tmpdir(), 'stored-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('a raster states its origin exactly as written, including quotation marks', async () => {
  const made = {
    pack: { 'manifest.json': '0a'.repeat(32) },
    covariateFiles: [{ covariate: 'slope', size: 9, etag: 'W/"<1> & 2"' }],
    polygon: '1b'.repeat(32),
    version: '1.2.3',
  };
  const metadata = buildGdalMetadata(raster({ tags: provenanceTags(made) }), []);
  const file = join(folder, 'result.tif');
  writeFileSync(file, aGeoTiff({ values: cellsOf(() => 1), metadata }));
  expect(parseProvenance((await openStoredRaster({ file })).tags)).toEqual(made);
});
