import * as z from 'zod/mini';
import { parseGeoJsonPolygon } from '#engine/geometry/parse.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import type { GeometryProblem } from '#engine/geometry/problem.ts';
import { findInvalidity } from '#engine/geometry/validity.ts';
import { isJsonObject, isNestedDeeper, type JsonObject } from '#engine/json/json-object.ts';
import { LIMITS } from '../limits.ts';
import { count, type ViewOf } from '../wire.ts';
import { polygonDigest } from './finishing/provenance.ts';
import { type JobWarning, storedError, storedWarning } from './job.ts';
import type { MeasuredArea } from './planning/measured-area.ts';

/** The rings were parsed before they were stored, so only the outermost type is checked. */
const rings = z.custom<MultiPolygonRings>(Array.isArray);

const storedGeometry = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('valid'), polygon: rings }),
  z.object({
    kind: z.literal('invalid'),
    /**
     * Null if the geometry cannot be parsed, for example because it is not a Polygon or MultiPolygon (RFC 7946) in
     * WGS84.
     */
    polygon: z.nullable(rings),
    error: storedError,
  }),
]);

export type JobGeometry = ViewOf<typeof storedGeometry>;

/** A job as requested, parsed and validated once, when its batch is created. */
export const requestedJob = z.object({
  geometry: storedGeometry,
  /** The {@link polygonDigest} of the polygon as sent. */
  polygonSha256: z.string(),
  /**
   * The job's properties, or those of its Feature if the job has none; null if neither has any or they were dropped.
   */
  properties: z.nullable(z.custom<JsonObject>(isJsonObject)),
  /** Warnings about the request itself, whatever the plan. */
  warnings: z.array(storedWarning),
});

export type RequestedJob = ViewOf<typeof requestedJob>;

/** Fields stored as requested. New fields must be optional, because jobs stored earlier lack them. */
const sentFields = z.object({
  name: z.nullable(z.string()),
  year: z.int(),
  /** The model requested for this job, `id` or `id@version`. */
  model: z.nullable(z.string()),
});

export interface NewJob extends ViewOf<typeof sentFields> {
  /** Any JSON value is accepted here: an invalid geometry fails its job rather than the batch. */
  readonly polygon: unknown;
  /** The job's own properties, without those of its Feature. */
  readonly properties: JsonObject | null;
}

/** The fields of a job that the index repeats, so that lists need not read the job. */
export const jobHead = z.object({
  ...sentFields.shape,
  /** Whether the job or its Feature has properties, even if they were dropped. */
  hasProperties: z.boolean(),
  // The fields of `MeasuredArea`.
  squareMetres: count,
  chargedSquareMetres: count,
  /** The failed job that this one retries; absent if this is not a retry. */
  retryOf: z.exactOptional(z.object({ batchId: z.string(), index: count })),
});

export type JobHead = ViewOf<typeof jobHead>;

export type JobReference = NonNullable<JobHead['retryOf']>;

/**
 * What is stored for a {@link NewJob}: `job` is its line in the batch's file, and `head` becomes its `JobEntry` in the
 * index, together with the range of that line.
 */
export interface StoredJob {
  readonly head: JobHead;
  readonly job: RequestedJob;
}

/** @param sent any JSON value */
export function jobGeometry(sent: unknown): JobGeometry {
  const parsed = parseGeoJsonPolygon(sent);
  if (parsed.kind === 'problem') return invalidGeometry(null, parsed);
  const problem = findInvalidity(parsed.polygon);
  if (problem !== null) return invalidGeometry(parsed.polygon, problem);
  return { kind: 'valid', polygon: parsed.polygon };
}

function invalidGeometry(
  polygon: MultiPolygonRings | null,
  { code, message, location }: GeometryProblem,
): JobGeometry {
  return { kind: 'invalid', polygon, error: { code, message, location } };
}

export function storedJob(job: NewJob, geometry: JobGeometry, area: MeasuredArea): StoredJob {
  const { polygon, properties: _, ...sent } = job;
  const properties = findProperties(job);
  const warnings = requestWarnings(job);
  return {
    head: { ...sent, hasProperties: properties !== null, ...area },
    job: {
      geometry,
      polygonSha256: polygonDigest(polygon),
      properties: warnings.length === 0 ? properties : null,
      warnings,
    },
  };
}

function findProperties({ properties, polygon }: NewJob): JsonObject | null {
  if (properties !== null) return properties;
  if (!isJsonObject(polygon) || polygon['type'] !== 'Feature') return null;
  // Properties are an object or null (RFC 7946, section 3.2).
  const ofFeature = polygon['properties'];
  return isJsonObject(ofFeature) ? ofFeature : null;
}

/**
 * The properties of the job itself were checked when the request was parsed; those of its Feature may exceed a limit.
 */
export function requestWarnings(job: NewJob): readonly JobWarning[] {
  const properties = findProperties(job);
  if (properties === null) return [];
  const bytes = compactBytes(properties);
  if (bytes > LIMITS.propertiesBytes) {
    return [
      droppedPropertiesWarning(
        `have ${bytes} bytes (at most ${LIMITS.propertiesBytes} are allowed)`,
      ),
    ];
  }
  return isNestedDeeper(properties, LIMITS.jsonDepth)
    ? [droppedPropertiesWarning(`nest deeper than ${LIMITS.jsonDepth} levels`)]
    : [];
}

function droppedPropertiesWarning(why: string): JobWarning {
  const message = `The properties of the Feature ${why}, so they were dropped.`;
  return { code: 'properties_dropped', message };
}

/** Returns the number of bytes of the value as JSON without white space. */
export function compactBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** @throws Error if the polygon is invalid, which that of a planned job never is */
export function validPolygon({ geometry }: RequestedJob): MultiPolygonRings {
  if (geometry.kind === 'valid') return geometry.polygon;
  throw new Error(`a planned polygon is invalid: ${geometry.error.code}`);
}
