import { openCovariateRaster } from '#engine/model/covariates/covariate-raster.ts';
import type { Encoding } from '#engine/model/geotiff/read-cells.ts';
import type { Covariate } from '#engine/model/pack/manifest.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import {
  computeTonnesPerHectare,
  findLimits,
  findStoredSupport,
  hasTrueZero,
} from '#engine/model/pack/property.ts';
import {
  findMeanBand,
  findSummarisedBands,
  parseQuantileLevel,
} from '#engine/model/pack/summarised-bands.ts';
import { TOLERATED_OUTSIDE_SHARE } from '#engine/model/trained-values.ts';
import { createGroundMetrics, groundDistance } from '#engine/raster/grid/ground.ts';

/**
 * Describes a pack for `soil_packs/remarks.py`: the manifest as the service reads it, and what the service derives from
 * it and from the covariates' headers. JSON has no infinity, so an open bound becomes null.
 */
export async function describePack(pack: Pack) {
  const { manifest } = pack;
  const { grid } = manifest;
  const mean = findMeanBand(manifest);
  const middle = createGroundMetrics(grid)(grid.width / 2, grid.height / 2);
  const covariates: object[] = [];
  // The headers are read one after the other, so that a publisher gets few requests at a time.
  for (const covariate of manifest.covariates) {
    covariates.push({ ...covariate, header: await readHeader(pack, covariate) });
  }
  return {
    ...manifest,
    ref: pack.ref,
    mean: mean === -1 ? null : mean,
    bands: manifest.bands.map((band) => ({
      ...band,
      level: parseQuantileLevel(band),
      support: band.from.kind === 'applicability' ? null : findStoredSupport(manifest, band),
    })),
    covariates,
    limits: findLimits(manifest.property),
    true_zero: hasTrueZero(manifest),
    tonnes_per_hectare: computeTonnesPerHectare(manifest.property),
    error_level: findSummarisedBands(manifest)?.errors?.level ?? null,
    neighbours_m: groundDistance(middle, 1, 0),
    diagonal_m: groundDistance(middle, grid.width, grid.height),
    tolerated_outside_share: TOLERATED_OUTSIDE_SHARE,
  };
}

/**
 * Reads how a raster's cells are offset from the grid's, and its encoding as text, because JSON has no NaN; null for a
 * coordinate.
 */
async function readHeader(pack: Pack, covariate: Covariate) {
  if (covariate.kind !== 'raster') return null;
  const { offset, encoding } = await openCovariateRaster(pack, covariate);
  return { offset, stated: formatEncoding(encoding.stated), used: formatEncoding(encoding.used) };
}

function formatEncoding(encoding: Partial<Encoding>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(encoding).map(([name, value]) => [name, String(value)]));
}
