import type { Band, Manifest } from './manifest.ts';

/** Index of the band with the mean: the first quantity that is not a quantile; −1 if there is none. */
export function findMeanBand({ bands }: Pick<Manifest, 'bands'>): number {
  return bands.findIndex(
    (band) =>
      band.from.kind === 'target' &&
      band.overviews === 'average' &&
      parseQuantileLevel(band) === null,
  );
}

export interface BandSamples {
  readonly index: number;
  readonly scale: number;
  readonly offset: number;
}

export interface DeclaredErrors {
  readonly lower: BandSamples;
  readonly upper: BandSamples;
  /** Probability inside the bounds. */
  readonly level: number;
  /** Standard normal quantile of the upper bound. */
  readonly z: number;
  readonly systematicRelativeSd: number;
  readonly standardisedSd: number;
  readonly correlation: { readonly nugget: number; readonly rangeMetres: number };
}

export interface SummarisedBands {
  readonly mean: BandSamples;
  /** Null if the model does not declare the correlation of its errors; there is then no interval. */
  readonly errors: DeclaredErrors | null;
}

/** Returns null if the model does not predict the mean of a quantity. */
export function findSummarisedBands(manifest: Manifest): SummarisedBands | null {
  const mean = findMeanBand(manifest);
  if (mean === -1) return null;
  return { mean: selectBandSamples(manifest, mean), errors: findDeclaredErrors(manifest) };
}

function findDeclaredErrors({ error, bands }: Manifest): DeclaredErrors | null {
  if (error?.correlation === undefined) return null;
  const findBandIndex = (wanted: string): number => bands.findIndex(({ name }) => name === wanted);
  const upper = bands[findBandIndex(error.upper)];
  const upperLevel = upper === undefined ? null : parseQuantileLevel(upper);
  if (upperLevel === null) return null;
  return {
    lower: selectBandSamples({ bands }, findBandIndex(error.lower)),
    upper: selectBandSamples({ bands }, findBandIndex(error.upper)),
    // 2 × 0.95 − 1 is 0.8999999999999999.
    level: Number((2 * upperLevel - 1).toPrecision(12)),
    z: computeNormalQuantile(upperLevel),
    systematicRelativeSd: error.systematic_relative_sd,
    standardisedSd: error.standardised_sd,
    correlation: { nugget: error.correlation.nugget, rangeMetres: error.correlation.range_m },
  };
}

function selectBandSamples(
  { bands }: { readonly bands: readonly Band[] },
  index: number,
): BandSamples {
  const { scale = 1, offset = 0 } = bands[index] ?? {};
  return { index, scale, offset };
}

/**
 * The z with Φ(z) = p, for p from 0.5 to below 1: Hastings' approximation (Abramowitz & Stegun, 26.2.23), then
 * Newton's method.
 */
function computeNormalQuantile(p: number): number {
  const t = Math.sqrt(-2 * Math.log(1 - p));
  let z =
    t -
    (2.515517 + t * (0.802853 + t * 0.010328)) /
      (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (let i = 0; i < 4; i += 1) {
    const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
    z -= (computeNormalProbability(z) - p) / density;
  }
  return z;
}

/** Φ(z) for z ≥ 0 as a series (Abramowitz & Stegun, 26.2.11). */
function computeNormalProbability(z: number): number {
  let term = z;
  let sum = z;
  for (let n = 1; Math.abs(term) > 1e-17 * Math.abs(sum); n += 1) {
    term *= (z * z) / (2 * n + 1);
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** The quantile level that a band or its name declares; null for any other band. */
export function parseQuantileLevel({ name, from }: Pick<Band, 'name' | 'from'>): number | null {
  if (from.level !== undefined) return from.level;
  const named = new Set(parseLevels(name)?.filter((level) => level > 0 && level < 1));
  // q5 may be 0.5 or 0.05.
  return named.size === 1 ? ([...named][0] ?? null) : null;
}

/** The levels that a name such as q05, p16 or q975 may mean; null for other names. */
export function parseLevels(name: string): readonly number[] | null {
  const digits = /^[pq](\d+)$/.exec(name)?.[1];
  return digits === undefined ? null : [Number(`0.${digits}`), Number(digits) / 100];
}
