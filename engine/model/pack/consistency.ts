import { findDefinitionProblems } from './crs-definition.ts';
import { type Band, countTargets, coveragePolygonsOf, type Manifest } from './manifest.ts';
import { formatYears } from './periods.ts';
import { describeRange, isSample } from './sample-types.ts';
import { toSample } from './samples.ts';
import { findMeanBand, parseLevels, parseQuantileLevel } from './summarised-bands.ts';

export interface ManifestProblem {
  readonly field: string;
  readonly message: string;
  /** Whether a later attempt, or one from another host, may succeed, because a remote file was unavailable. */
  readonly transient?: boolean;
}

/** Finds fields of a manifest that contradict each other, which the schema cannot check. */
export function findInconsistencies(manifest: Manifest): ManifestProblem[] {
  return [
    ...findRepeatedNames('covariates', manifest.covariates),
    ...findRepeatedNames('bands', manifest.bands),
    ...findOverlappingPeriods(manifest),
    ...findPeriodProblems(manifest),
    ...findTrainingProblems(manifest),
    ...findBandProblems(manifest),
    ...findQuantileProblems(manifest),
    ...findDistributionProblems(manifest),
    ...findApplicabilityProblems(manifest),
    ...findErrorProblems(manifest),
    ...findNodataProblems(manifest),
    ...findEncodingProblems(manifest),
    ...findCoverageProblems(manifest),
    ...findProjectionProblems(manifest),
  ];
}

function findRepeatedNames(
  field: string,
  named: readonly { readonly name: string }[],
): ManifestProblem[] {
  return named.flatMap(({ name }, i) => {
    const first = named.findIndex((other) => other.name === name);
    return first === i
      ? []
      : [{ field: `${field}[${i}].name`, message: `"${name}" is also ${field}[${first}]` }];
  });
}

/** Finds periods that share a year, because a job's year must have at most one map. */
function findOverlappingPeriods({ temporal }: Manifest): ManifestProblem[] {
  if (temporal.kind === 'static') return [];
  return temporal.periods.flatMap(({ years }, i) => {
    const earlier = temporal.periods.findIndex(
      (other, j) => j < i && other.years[0] <= years[1] && years[0] <= other.years[1],
    );
    const message = `${formatYears(years)} overlaps temporal.periods[${earlier}]: a year can have only one map`;
    return earlier === -1 ? [] : [{ field: `temporal.periods[${i}].years`, message }];
  });
}

/** An object with a value for each period must have every period and no other key. */
function findPeriodProblems({ temporal, covariates }: Manifest): ManifestProblem[] {
  const expected =
    temporal.kind === 'static' ? [] : temporal.periods.map(({ years }) => formatYears(years));
  return covariates.flatMap((covariate, i) => {
    if (covariate.kind !== 'raster') return [];
    return BY_PERIOD.flatMap((name): ManifestProblem[] => {
      const value = covariate[name];
      if (typeof value !== 'object') return [];
      const field = `covariates[${i}].${name}`;
      if (temporal.kind === 'static') {
        return [{ field, message: 'a static model has one map: give one value' }];
      }
      const found = Object.keys(value);
      const missing = expected.filter((years) => !found.includes(years));
      const unknown = found.filter((years) => !expected.includes(years));
      return [
        ...missing.map((years) => ({ field, message: `has no value for the period ${years}` })),
        ...unknown.map((years) => ({
          field,
          message: `${years} is not one of the periods: allowed are ${expected.join(', ')}`,
        })),
      ];
    });
  });
}

const BY_PERIOD = ['href', 'scale', 'offset', 'nodata'] as const;

function findTrainingProblems({ covariates }: Manifest): ManifestProblem[] {
  return covariates.flatMap((covariate, i) => {
    if (covariate.kind !== 'raster' || covariate.trained_classes === undefined) return [];
    if (covariate.trained_range === undefined) return [];
    const message =
      'not allowed together with "trained_range": give "trained_classes" for classes, "trained_range" for quantities';
    return [{ field: `covariates[${i}].trained_classes`, message }];
  });
}

function findBandProblems(manifest: Manifest): ManifestProblem[] {
  const { bands, graph, distribution, applicability } = manifest;
  const targets = countTargets(manifest);
  const wanted = graph === undefined ? 'a covariate (there is no graph)' : 'a target of the graph';
  return bands.flatMap(({ from }, i) => {
    if (from.kind === 'target' && from.index >= targets) {
      const message = `${from.index} is not the index of ${wanted}: allowed are 0 to ${targets - 1}`;
      return [{ field: `bands[${i}].from.index`, message }];
    }
    if (from.kind === 'quantile' && distribution === undefined) {
      const message = 'a quantile requires the field "distribution"';
      return [{ field: `bands[${i}].from`, message }];
    }
    if (from.kind === 'applicability' && applicability === undefined) {
      return [{ field: `bands[${i}].from`, message: 'requires the field "applicability"' }];
    }
    return [];
  });
}

function findApplicabilityProblems({ applicability, covariates }: Manifest): ManifestProblem[] {
  if (applicability === undefined || applicability.weights.length === covariates.length) return [];
  const message = `has ${applicability.weights.length} weights for ${covariates.length} covariates`;
  return [{ field: 'applicability.weights', message }];
}

/** Readers rely on the level in a band's name, and on quantiles that are ordered by their levels. */
function findQuantileProblems({ bands }: Manifest): ManifestProblem[] {
  const quantiles = bands.flatMap(({ from }) => (from.kind === 'quantile' ? from : []));
  return bands.flatMap(({ name, from }, i): ManifestProblem[] => {
    const named = parseLevels(name);
    if (from.level !== undefined && named !== null && !named.includes(from.level)) {
      const message = `${from.level} contradicts the band's name "${name}": expected ${[...new Set(named)].join(' or ')}`;
      return [{ field: `bands[${i}].from.level`, message }];
    }
    if (from.kind !== 'quantile') return [];
    const below = quantiles.find(
      ({ level, probability }) => level < from.level && probability >= from.probability,
    );
    if (below === undefined) return [];
    const message = `${from.probability} must be above ${below.probability}, the probability of the lower level ${below.level}`;
    return [{ field: `bands[${i}].from.probability`, message }];
  });
}

function findDistributionProblems({ distribution, graph }: Manifest): ManifestProblem[] {
  if (distribution === undefined) {
    return [];
  }
  if (graph === undefined) {
    return [{ field: 'distribution', message: 'not allowed without "graph"' }];
  }
  const needed = distribution.first_target + distribution.thresholds.length;
  return needed <= graph.targets
    ? []
    : [
        {
          field: 'distribution.thresholds',
          message: `need ${needed} targets, but the graph has ${graph.targets}`,
        },
      ];
}

/** The interval of an area needs a band with the mean and two quantiles of symmetric levels, such as 0.05 and 0.95. */
function findErrorProblems(manifest: Manifest): ManifestProblem[] {
  const { error, bands } = manifest;
  if (error === undefined) return [];
  const levels = bands.flatMap((band) => {
    const level = parseQuantileLevel(band);
    return level === null ? [] : [{ name: band.name, level }];
  });
  const named = levels.map(({ name, level }) => `"${name}" (${level})`).join(', ') || 'none';
  const problems = (['lower', 'upper'] as const).flatMap((bound) =>
    levels.some(({ name }) => name === error[bound])
      ? []
      : [
          {
            field: `error.${bound}`,
            message: `"${error[bound]}" is not a band with a quantile's level: allowed are ${named}`,
          },
        ],
  );
  if (problems.length > 0) return problems;
  const levelOf = (wanted: string): number =>
    levels.find(({ name }) => name === wanted)?.level ?? Number.NaN;
  const [lower, upper] = [levelOf(error.lower), levelOf(error.upper)];
  if (lower < 0.5 && Math.abs(lower + upper - 1) > 1e-9) {
    const message = `its level ${upper} must be ${1 - lower}, because the level of "${error.lower}" is ${lower}`;
    problems.push({ field: 'error.upper', message });
  }
  if (lower >= 0.5) {
    const message = `its level ${lower} must be below 0.5`;
    problems.push({ field: 'error.lower', message });
  }
  if (findMeanBand(manifest) === -1) {
    const message =
      'needs a band with the mean: from a target, without a level, with overviews "average"';
    problems.push({ field: 'error', message });
  }
  return problems;
}

function findNodataProblems({ nodata, distribution, raster }: Manifest): ManifestProblem[] {
  const type = raster.sample_type;
  if (!isSample(type, nodata)) {
    const example = type === 'float32' ? '; e.g. -9999' : '';
    const message = `${nodata} is not a value of the raster's sample_type, ${type}: allowed are ${describeRange(type)}${example}`;
    return [{ field: 'nodata', message }];
  }
  if (type !== 'float32' || distribution === undefined) return [];
  if (nodata >= distribution.lower && nodata <= distribution.upper) {
    const message = `${nodata} must lie outside the range of the distribution, ${distribution.lower} to ${distribution.upper}`;
    return [{ field: 'nodata', message }];
  }
  return [];
}

/**
 * Checks that float32 bands have no scale or offset. If a band's range is known in advance, also checks that the
 * sample type holds every value and that none equals nodata.
 */
function findEncodingProblems(manifest: Manifest): ManifestProblem[] {
  const { bands, raster, nodata } = manifest;
  const type = raster.sample_type;
  return bands.flatMap((band, i): ManifestProblem[] => {
    const given = (['scale', 'offset'] as const).filter((name) => band[name] !== undefined);
    if (type === 'float32' && given.length > 0) {
      const message = 'not allowed with float32; scale and offset are for integer sample types';
      return given.map((name) => ({ field: `bands[${i}].${name}`, message }));
    }
    const range = findBandRange(manifest, band);
    if (range === undefined) return [];
    const { lower, upper } = range;
    const [min, max] = [toSample(type, band, lower), toSample(type, band, upper)];
    const stored = `the values ${lower} to ${upper} are stored as ${min} to ${max}`;
    if (!isSample(type, min) || !isSample(type, max)) {
      const message = `${stored}; ${type} holds ${describeRange(type)}`;
      return [{ field: `bands[${i}].scale`, message }];
    }
    return nodata >= min && nodata <= max
      ? [
          {
            field: 'nodata',
            message: `${nodata} is in the range of band "${band.name}": ${stored}`,
          },
        ]
      : [];
  });
}

function findBandRange(
  { distribution, raster }: Manifest,
  { from }: Band,
): { readonly lower: number; readonly upper: number } | undefined {
  if (from.kind === 'applicability') return { lower: 0, upper: 1 };
  // For float32, `findNodataProblems` requires a nodata outside the distribution's range.
  return from.kind === 'quantile' && raster.sample_type !== 'float32' ? distribution : undefined;
}

/** RFC 7946, 3.1.6: a linear ring's first and last positions are identical. */
function findCoverageProblems(manifest: Manifest): ManifestProblem[] {
  return coveragePolygonsOf(manifest).flatMap((rings, p) =>
    rings.flatMap((ring, i) => {
      const first = ring[0];
      const last = ring.at(-1);
      const place = manifest.coverage.type === 'Polygon' ? `[${i}]` : `[${p}][${i}]`;
      return first?.[0] === last?.[0] && first?.[1] === last?.[1]
        ? []
        : [
            {
              field: `coverage.coordinates${place}`,
              message: 'the ring is not closed: its last position must repeat the first',
            },
          ];
    }),
  );
}

/** Rejects, at deployment and not at the first job, parameters that proj4js would ignore. */
function findProjectionProblems({ grid, covariates }: Manifest): ManifestProblem[] {
  const definitions = [
    { field: 'grid.crs.proj4', definition: grid.crs.proj4 },
    ...covariates.flatMap((covariate, i) =>
      covariate.kind === 'raster' && covariate.crs !== undefined
        ? [{ field: `covariates[${i}].crs.proj4`, definition: covariate.crs.proj4 }]
        : [],
    ),
  ];
  return definitions.flatMap(({ field, definition }) =>
    findDefinitionProblems(definition).map((message) => ({ field, message })),
  );
}
