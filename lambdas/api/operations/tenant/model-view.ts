import { displayRangeOf } from '#engine/model/display-range.ts';
import type { Band, Manifest } from '#engine/model/pack/manifest.ts';
import { mapPeriodsOf } from '#engine/model/pack/periods.ts';
import type { ModelsResponse } from '../../definitions/models-response.ts';

/** A model in the response. @param ref `id@version` */
export function modelView(ref: string, manifest: Manifest): ModelsResponse['models'][number] {
  const { id, version, title, property, sample_support, nodata, coverage, grid, raster } = manifest;
  return {
    model: ref,
    id,
    version,
    title,
    property,
    sample_support,
    bands: manifest.bands.map((band) => bandView(manifest, band)),
    sample_type: raster.sample_type,
    nodata,
    coverage,
    temporal: manifest.temporal.kind,
    data_period: wholeDataPeriod(manifest),
    periods: mapPeriodsOf(manifest).map(({ years, dataPeriod }) => ({
      years: years === null ? null : [...years],
      data_period: [...dataPeriod],
    })),
    grid: {
      crs: `EPSG:${grid.crs.epsg}`,
      crs_name: grid.crs.name,
      crs_proj4: grid.crs.proj4,
      cell_size: grid.cell_size,
    },
    error: errorView(manifest.error),
    accuracy: manifest.accuracy.map(({ metric, value, how }) => ({ metric, value, how })),
    licenses: manifest.licenses,
  };
}

function errorView(error: Manifest['error']): ModelsResponse['models'][number]['error'] {
  if (error === undefined) return null;
  const { lower, upper, correlation = null, systematic_relative_sd, how } = error;
  return { lower, upper, correlation, systematic_relative_sd, how };
}

function bandView(
  manifest: Manifest,
  band: Band,
): ModelsResponse['models'][number]['bands'][number] {
  const { name, description, from, scale = 1, offset = 0 } = band;
  const range = displayRangeOf(manifest, band);
  return {
    name,
    description,
    level: from.level ?? null,
    scale,
    offset,
    display_range: range === null ? null : [...range],
  };
}

/** From the first year of data of any period to the last. */
function wholeDataPeriod(manifest: Manifest): [number, number] {
  const periods = mapPeriodsOf(manifest).map(({ dataPeriod }) => dataPeriod);
  return [
    Math.min(...periods.map(([first]) => first)),
    Math.max(...periods.map(([, last]) => last)),
  ];
}
