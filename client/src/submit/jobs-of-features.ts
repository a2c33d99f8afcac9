import { invalidInput, type Violation } from '../http/soil-error.ts';
import type { JobRequest } from '../schemas.ts';

/**
 * The part of GeoJSON (RFC 7946) that the client reads. The service validates geometries, and names
 * the ring and vertex of a fault.
 */
export interface Feature {
  readonly type: string;
  readonly geometry: { readonly type: string; readonly coordinates?: unknown } | null;
  readonly properties?: Readonly<Record<string, unknown>> | null;
  readonly id?: string | number;
}

export interface FeatureCollection {
  readonly type: string;
  readonly features: readonly Feature[];
  /** A member of GeoJSON 2008; the service rejects all systems but WGS 84. */
  readonly crs?: unknown;
}

/** Vertices over all rings of a polygon, or of a Feature of one. */
export function countVertices(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if ('geometry' in value) return countVertices(value.geometry);
  return 'coordinates' in value ? countPositions(value.coordinates) : 0;
}

function countPositions(value: unknown): number {
  if (!Array.isArray(value)) return 0;
  if (typeof value[0] === 'number') return 1;
  return value.reduce((sum: number, one: unknown) => sum + countPositions(one), 0);
}

export interface JobsOfFeatures {
  /** The year to predict, or several: one job for each feature and year. */
  readonly year: number | readonly number[];
  /** The property with the name of a job; without it, the service uses the id of the Feature. */
  readonly nameField?: string | undefined;
  /** Selects the jobs; by default all. */
  readonly include?: ((job: Pick<FeatureJob, 'featureIndex' | 'year'>) => boolean) | undefined;
}

/** A job and the feature that it is of. */
export interface FeatureJob {
  readonly featureIndex: number;
  readonly year: number;
  readonly request: JobRequest;
}

/** @throws SoilError `invalid-input` with every violation, up to 100 */
export function jobsOfFeatures(
  collection: FeatureCollection,
  { year, nameField, include = () => true }: JobsOfFeatures,
): readonly FeatureJob[] {
  const years = typeof year === 'number' ? [year] : year;
  const violations = [...yearViolations(years), ...featureViolations(collection, nameField)];
  const [first] = violations;
  if (first !== undefined) {
    const others = violations.length > 1 ? `, and ${violations.length - 1} more` : '';
    const place = first.pointer === '' ? 'The fields' : `${first.pointer}:`;
    throw invalidInput(`${place} ${first.message}${others}`, violations.slice(0, 100));
  }
  // A file of GeoJSON 2008 may name another CRS than WGS84 once for all its features.
  const crs = collection.crs === undefined ? {} : { crs: collection.crs };
  return collection.features.flatMap((feature, featureIndex) =>
    years
      .filter((one) => include({ featureIndex, year: one }))
      .map((one) => ({
        featureIndex,
        year: one,
        request: { ...jobOf({ ...feature, ...crs }, nameField), year: one },
      })),
  );
}

function jobOf(
  feature: Feature & { readonly crs?: unknown },
  nameField: string | undefined,
): Omit<JobRequest, 'year'> {
  const { type, id, properties, geometry } = feature;
  const crs = feature.crs === undefined ? {} : { crs: feature.crs };
  const polygon = { type, ...(id === undefined ? {} : { id }), properties, geometry, ...crs };
  const name = nameField === undefined ? undefined : nameIn(feature, nameField);
  return {
    // The service validates the geometry, and fails the job of an invalid one.
    polygon: polygon as JobRequest['polygon'],
    ...(name === undefined ? {} : { name }),
  };
}

/** Undefined for a feature without a name. */
function nameIn({ properties }: Feature, nameField: string): string | undefined {
  const value = properties?.[nameField];
  return value === undefined || value === null || value === '' ? undefined : String(value);
}

function yearViolations(years: readonly number[]): readonly Violation[] {
  if (years.length === 0) return [{ pointer: '/year', message: 'must have at least one year' }];
  const invalid = years.filter((year) => !Number.isInteger(year));
  return invalid.map((year) => ({ pointer: '/year', message: `must be an integer; got ${year}` }));
}

function featureViolations(
  collection: FeatureCollection,
  nameField: string | undefined,
): readonly Violation[] {
  if (collection?.type !== 'FeatureCollection' || !Array.isArray(collection.features)) {
    return [{ pointer: '', message: 'must be a GeoJSON FeatureCollection' }];
  }
  if (collection.features.length === 0) {
    return [{ pointer: '/features', message: 'must have at least one feature' }];
  }
  const violations = collection.features.flatMap((feature: Feature, index) => {
    if (feature?.type === 'Feature') return [];
    return [{ pointer: `/features/${index}`, message: 'must be a GeoJSON Feature' }];
  });
  if (violations.length > 0 || nameField === undefined) return violations;
  const named = collection.features.some((feature) => nameIn(feature, nameField) !== undefined);
  const message = `no feature has the property "${nameField}"`;
  return named ? [] : [{ pointer: '/features', message }];
}
