import { isProjection, PROJECTIONS } from '../../projection/projections.ts';
import { type Manifest, polygonsOf } from './manifest.ts';
import type { ManifestProblem } from './manifest-problem.ts';
import { levelsNamed } from './quantile-level.ts';
import { describeRange, isSample } from './sample-types.ts';
import { storedAs } from './samples.ts';

/** What the schema can't see: members of a manifest that contradict each other. */
export function inconsistenciesOf(manifest: Manifest): ManifestProblem[] {
  return [
    ...repeatedNames('covariates', manifest.covariates),
    ...repeatedNames('bands', manifest.bands),
    ...bandProblems(manifest),
    ...quantileProblems(manifest),
    ...distributionProblems(manifest),
    ...nodataProblems(manifest),
    ...encodingProblems(manifest),
    ...coverageProblems(manifest),
    ...projectionProblems(manifest),
  ];
}

function repeatedNames(
  member: string,
  named: readonly { readonly name: string }[],
): ManifestProblem[] {
  return named.flatMap(({ name }, i) => {
    const first = named.findIndex((other) => other.name === name);
    return first === i
      ? []
      : [{ member: `${member}[${i}].name`, message: `"${name}" is also ${member}[${first}]` }];
  });
}

function bandProblems({ bands, graph, distribution }: Manifest): ManifestProblem[] {
  return bands.flatMap(({ from }, i) => {
    if (from.kind === 'target' && from.index >= graph.targets) {
      const message = `${from.index} is no target of the graph, which has ${graph.targets}`;
      return [{ member: `bands[${i}].from.index`, message }];
    }
    if (from.kind === 'quantile' && distribution === undefined) {
      const message = 'a quantile needs the member "distribution"';
      return [{ member: `bands[${i}].from`, message }];
    }
    return [];
  });
}

/** A reader believes a band's name, and that of two quantiles the higher is higher. */
function quantileProblems({ bands }: Manifest): ManifestProblem[] {
  const quantiles = bands.flatMap(({ from }) => (from.kind === 'quantile' ? from : []));
  return bands.flatMap(({ name, from }, i): ManifestProblem[] => {
    const named = levelsNamed(name);
    if (from.level !== undefined && named !== null && !named.includes(from.level)) {
      const message = `${from.level}, while the band is called "${name}"`;
      return [{ member: `bands[${i}].from.level`, message }];
    }
    if (from.kind !== 'quantile') return [];
    const below = quantiles.find(
      ({ level, probability }) => level < from.level && probability >= from.probability,
    );
    if (below === undefined) return [];
    const message = `${from.probability} is not above ${below.probability}, where the lower level ${below.level} is read`;
    return [{ member: `bands[${i}].from.probability`, message }];
  });
}

function distributionProblems({ distribution, graph }: Manifest): ManifestProblem[] {
  if (distribution === undefined) {
    return [];
  }
  const needed = distribution.first_target + distribution.thresholds.length;
  return needed <= graph.targets
    ? []
    : [
        {
          member: 'distribution.thresholds',
          message: `need ${needed} targets of the graph, which has ${graph.targets}`,
        },
      ];
}

function nodataProblems({ nodata, distribution, raster }: Manifest): ManifestProblem[] {
  const type = raster.sample_type;
  if (!isSample(type, nodata)) {
    const example = type === 'float32' ? '; e.g. -9999' : '';
    const message = `${nodata} is no ${type} value, as the raster's cells are (${describeRange(type)})${example}`;
    return [{ member: 'nodata', message }];
  }
  if (type !== 'float32' || distribution === undefined) return [];
  if (nodata >= distribution.lower && nodata <= distribution.upper) {
    const message = `${nodata} lies within the property's support`;
    return [{ member: 'nodata', message }];
  }
  return [];
}

/** Of quantiles the least and the greatest value are known before the first is predicted. */
function encodingProblems({ bands, distribution, raster, nodata }: Manifest): ManifestProblem[] {
  const type = raster.sample_type;
  return bands.flatMap((band, i): ManifestProblem[] => {
    if (type === 'float32') {
      const given = (['scale', 'offset'] as const).filter((name) => band[name] !== undefined);
      const message = 'float32 cells hold values as they are; scale and offset are for integers';
      return given.map((name) => ({ member: `bands[${i}].${name}`, message }));
    }
    if (band.from.kind !== 'quantile' || distribution === undefined) return [];
    const { lower, upper } = distribution;
    const [least, most] = [storedAs(type, band, lower), storedAs(type, band, upper)];
    const stored = `the support ${lower} to ${upper} is stored as ${least} to ${most}`;
    if (!isSample(type, least) || !isSample(type, most)) {
      const message = `${stored}; ${type} holds ${describeRange(type)}`;
      return [{ member: `bands[${i}].scale`, message }];
    }
    return nodata >= least && nodata <= most
      ? [{ member: 'nodata', message: `${nodata} lies within band "${band.name}": ${stored}` }]
      : [];
  });
}

/** RFC 7946, 3.1.6: a linear ring's first and last positions are identical. */
function coverageProblems(manifest: Manifest): ManifestProblem[] {
  return polygonsOf(manifest).flatMap((rings, p) =>
    rings.flatMap((ring, i) => {
      const first = ring[0];
      const last = ring.at(-1);
      const place = manifest.coverage.type === 'Polygon' ? `[${i}]` : `[${p}][${i}]`;
      return first?.[0] === last?.[0] && first?.[1] === last?.[1]
        ? []
        : [{ member: `coverage.coordinates${place}`, message: 'the ring is not closed' }];
    }),
  );
}

/** A wrong name is refused when the pack is deployed, not at its first job. */
function projectionProblems({ grid, covariates }: Manifest): ManifestProblem[] {
  const definitions = [
    { member: 'grid.crs.proj4', definition: grid.crs.proj4 },
    ...covariates.flatMap((covariate, i) =>
      covariate.kind === 'raster' && covariate.crs !== undefined
        ? [{ member: `covariates[${i}].crs.proj4`, definition: covariate.crs.proj4 }]
        : [],
    ),
  ];
  return definitions.flatMap(({ member, definition }) => {
    const name = /^\+proj=(\S+)/.exec(definition)?.[1] ?? '';
    const message = `"${name}" is not a supported projection: ${PROJECTIONS.join(', ')}`;
    return isProjection(name) ? datumProblems(member, definition) : [{ member, message }];
  });
}

/** PROJ's own tools leave the shift out when they print a definition: the map would be 100 m off, unnoticed. */
function datumProblems(member: string, definition: string): ManifestProblem[] {
  if (/\+nadgrids=(?!@null\b)/.test(definition)) {
    const message = 'functions carry no grids of datum shifts: give "+towgs84=…" for "+nadgrids"';
    return [{ member, message }];
  }
  const ellipsoid = /\+ellps=(\S+)/.exec(definition)?.[1];
  const isShifted = /\+(?:towgs84|datum|nadgrids)=/.test(definition);
  if (ellipsoid === undefined || isShifted || /^(?:WGS84|GRS80|sphere)$/i.test(ellipsoid))
    return [];
  const message = `a datum on the ellipsoid "${ellipsoid}" is not WGS84: add its shift as "+towgs84=…" (docs/model-packs.md, The grid)`;
  return [{ member, message }];
}
