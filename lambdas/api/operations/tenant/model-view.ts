import { displayRangeOf } from '#engine/model/display/display-range.ts';
import type { Band, Manifest } from '#engine/model/pack/manifest.ts';
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
    data_period: dataPeriod(manifest.temporal),
    grid: {
      crs: `EPSG:${grid.crs.epsg}`,
      crs_name: grid.crs.name,
      crs_proj4: grid.crs.proj4,
      cell_size: grid.cell_size,
    },
    accuracy: manifest.accuracy.map(({ metric, value, how }) => ({ metric, value, how })),
    licenses: manifest.licenses,
  };
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

function dataPeriod(temporal: Manifest['temporal']): [number, number] {
  if (temporal.kind === 'static') return temporal.data_period;
  const [period] = temporal.periods;
  if (period === undefined) throw new Error('a manifest names its period');
  return period;
}
