import { openCovariateRaster } from '#engine/model/covariates/covariate-raster.ts';
import type { Manifest } from '#engine/model/pack/manifest.ts';
import type { Pack } from '#engine/model/pack/pack.ts';
import { parseDensityUnit } from '#engine/model/pack/property.ts';
import { findSummarisedBands } from '#engine/model/pack/summarised-bands.ts';
import { isStated } from '#engine/model/trained-values.ts';
import { createGroundMetrics, groundDistance } from '#engine/raster/grid/ground.ts';
import { figure } from './sample-table.ts';

/**
 * What a manifest lacks or declares that makes its maps look better than they are, covariates off the
 * grid, and doubtful encodings. Reads the headers of covariates.
 */
export async function packWarnings(pack: Pack): Promise<readonly string[]> {
  return [
    ...unitWithoutStock(pack.manifest),
    ...unlikelyDepth(pack.manifest),
    ...trainedValuesMissing(pack.manifest),
    ...narrowBounds(pack.manifest),
    ...unlikelyCorrelation(pack.manifest),
    ...(await covariatesOffGrid(pack)),
    ...(await doubtfulEncodings(pack)),
  ];
}

/** A stock or a density in a unit that the service does not know: fields get no stock, and maybe wrong values. */
function unitWithoutStock({ property: { name, unit } }: Manifest): readonly string[] {
  if (!/\b(?:stock|density)\b/i.test(name) || parseDensityUnit(unit) !== null) return [];
  return [
    `the property is called ${name}, but ${unit} is neither kg/m3 nor t/ha: fields have no stock. Check the unit`,
  ];
}

/** Layers in cm that reports of stocks use lie between; a decimal or a unit is easily lost. */
const USUAL_THICKNESS = { least: 5, most: 200 };

function unlikelyDepth({ property: { unit, depth_cm } }: Manifest): readonly string[] {
  const [top, bottom] = depth_cm;
  const thickness = bottom - top;
  if (parseDensityUnit(unit) === null) return [];
  if (thickness >= USUAL_THICKNESS.least && thickness <= USUAL_THICKNESS.most) return [];
  return [
    `the layer from ${top} to ${bottom} cm is ${figure(thickness)} cm thick, and stocks depend on it: depth_cm is in centimetres`,
  ];
}

function trainedValuesMissing(manifest: Manifest): readonly string[] {
  const { covariates, graph, trained_range } = manifest;
  // A published map was trained elsewhere, on other covariates.
  if (graph === undefined) return [];
  const names = covariates.filter((covariate) => !isStated(covariate)).map(({ name }) => name);
  const missing = [
    ...(trained_range === undefined ? ['the property'] : []),
    ...(names.length === 0 ? [] : [`the covariates ${names.join(', ')}`]),
  ];
  if (missing.length === 0) return [];
  return [
    `the manifest has no trained_range of ${missing.join(' and of ')}: jobs cannot warn where the map extrapolates. Write it with python -m soil_packs.trained_values`,
  ];
}

/** Half-widths of a skewed error give its standard deviation from this level on (`docs/manifest.md`). */
const LEAST_LEVEL = 0.9;

function narrowBounds(manifest: Manifest): readonly string[] {
  const level = findSummarisedBands(manifest)?.errors?.level ?? 1;
  if (level >= LEAST_LEVEL) return [];
  const { lower, upper } = manifest.error ?? {};
  return [
    `error: ${lower} to ${upper} contain ${level} of all values. Below ${LEAST_LEVEL}, bounds do not show how far skewed errors reach, and the intervals of areas are too narrow. Give q05 and q95`,
  ];
}

/** A lower correlation of neighbouring cells is none. */
const LEAST_CORRELATION = 0.001;

/** Errors that are independent from cell to cell, or alike on the whole grid. */
function unlikelyCorrelation(manifest: Manifest): readonly string[] {
  const errors = findSummarisedBands(manifest)?.errors ?? null;
  if (errors === null) return [];
  const { grid } = manifest;
  const { nugget, rangeMetres } = errors.correlation;
  const middle = createGroundMetrics(grid)(grid.width / 2, grid.height / 2);
  const declared = `error.correlation (nugget ${nugget}, range_m ${rangeMetres})`;
  const diagonal = groundDistance(middle, grid.width, grid.height);
  if (rangeMetres > diagonal) {
    return [
      `${declared} reaches beyond the whole grid, whose diagonal is ${figure(diagonal)} m: an area is then hardly more certain than a cell. Estimate it from pairs of samples that were withheld together`,
    ];
  }
  const metres = groundDistance(middle, 1, 0);
  if ((1 - nugget) * Math.exp(-metres / rangeMetres) > LEAST_CORRELATION) return [];
  return [
    `${declared} declares the errors of neighbouring cells, ${figure(metres)} m apart, independent: the interval of an area then shrinks with its number of cells. Estimate it from pairs of samples that were withheld together`,
  ];
}

/** Covariates that resampling moves by part of a cell, because their cells lie between the grid's. */
async function covariatesOffGrid(pack: Pack): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const covariate of pack.manifest.covariates) {
    if (covariate.kind !== 'raster') continue;
    const { offset } = await openCovariateRaster(pack, covariate);
    if (offset === null) continue;
    const [cols, rows] = offset.map((part) => part.toFixed(2));
    warnings.push(
      `${covariate.name} has the grid's cell size, but lies ${cols} columns and ${rows} rows off it: ${covariate.resampling} resampling moves or blurs it. Is its origin the centre of a cell instead of a corner?`,
    );
  }
  return warnings;
}

const ENCODING = ['scale', 'offset', 'nodata'] as const;

/**
 * Tags of files that the manifest overrules; and of a published map, which no training compares with its
 * values, what neither states.
 */
async function doubtfulEncodings(pack: Pack): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const covariate of pack.manifest.covariates) {
    if (covariate.kind !== 'raster') continue;
    const { stated, used } = (await openCovariateRaster(pack, covariate)).encoding;
    for (const name of ENCODING) {
      const tag = stated[name];
      if (tag !== undefined && !Object.is(tag, used[name])) {
        warnings.push(
          `the manifest's ${name} of ${covariate.name}, ${used[name]}, wins over the file's, ${tag}: check both`,
        );
      }
      if (tag === undefined && covariate[name] === undefined && isNeeded(pack.manifest, name)) {
        warnings.push(
          `neither the file nor the manifest states the ${name} of ${covariate.name}: its stored numbers are taken as they are. Give its ${name} in the manifest`,
        );
      }
    }
  }
  return warnings;
}

function isNeeded({ graph }: Manifest, name: (typeof ENCODING)[number]): boolean {
  return graph === undefined && name !== 'offset';
}
