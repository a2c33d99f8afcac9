import { geometryOf } from '#engine/geometry/geojson.ts';
import { POLYGON_FIELDS, parseGeoJsonPolygon, parseJobPolygon } from '#engine/geometry/parse.ts';
import type { MultiPolygonRings } from '#engine/geometry/polygon.ts';
import { isJsonObject } from '#engine/json/json-object.ts';
import { type ReadFields, type Span, textOf } from '#engine/json/json-spans.ts';
import type { BatchId } from '../identity.ts';
import { LIMITS } from '../limits.ts';
import type { JobWarning } from './job.ts';
import type { JobEntry, JobParts, JobRequests } from './job-requests.ts';

/** The `properties` of a job, as sent. */
export interface JobProperties {
  readonly bytes: number;
  /** Exact JSON text; null if they are over the limit. */
  readonly text: string | null;
}

/** The GeoJSON of a job's text as sent, not validated. */
export function polygonIn(job: Uint8Array): unknown {
  const value: unknown = JSON.parse(textOf(job));
  return isJsonObject(value) ? value['polygon'] : undefined;
}

/** The polygon of a job that is planned, and therefore valid. */
export async function plannedPolygon(
  jobRequests: Pick<JobRequests, 'job'>,
  batchId: BatchId,
  entry: JobEntry,
): Promise<MultiPolygonRings> {
  const parsed = parseJobPolygon(polygonIn(await jobRequests.job(batchId, entry)));
  if (parsed.kind === 'problem') throw new Error(`a planned polygon is invalid: ${parsed.code}`);
  return parsed.polygon;
}

/** The fields of a job's `polygon` that the service reads. A Feature's `id` and `properties` are its defaults. */
export const READ_OF_POLYGON: ReadFields = { ...POLYGON_FIELDS, id: {}, properties: {} };

/** Of a job whose text has these fields; with the coordinates of any geometry. */
export function partsOf(
  job: Uint8Array,
  fields: ReadonlyMap<string, Span>,
  polygon: unknown,
): JobParts {
  const objectAt = (path: string): Span | null => {
    const span = fields.get(path);
    return span !== undefined && job[span.start] === OPEN_OBJECT ? span : null;
  };
  // RFC 7946, section 3.2: `properties` of a Feature is an object or null.
  const isFeature = isJsonObject(polygon) && polygon['type'] === 'Feature';
  const geometry = isFeature ? 'polygon.geometry' : 'polygon';
  return {
    properties: objectAt('properties') ?? (isFeature ? objectAt('polygon.properties') : null),
    coordinates: fields.get(`${geometry}.coordinates`) ?? null,
  };
}

const OPEN_OBJECT = 0x7b;

/** The parts as they are stored: without the coordinates of a geometry that cannot be parsed. */
export function storedParts(parts: JobParts, polygon: unknown): JobParts {
  if (parseGeoJsonPolygon(polygon).kind === 'polygon') return parts;
  return { ...parts, coordinates: null };
}

/**
 * The GeoJSON geometry of a job, with the coordinates spelled as sent, without white space and foreign
 * fields. Null if it is no Polygon or MultiPolygon in WGS84 with closed rings (RFC 7946); rings may cross.
 */
export function geometryIn(job: Uint8Array, { coordinates }: JobParts): string | null {
  if (coordinates === null) return null;
  const text = textOf(job, coordinates).replace(/\s+/g, '');
  // What follows the first two numbers of a position is not validated.
  if (ONLY_NUMBERS.test(text) && !NESTED.test(text)) {
    return `{"type":"${typeOf(text)}","coordinates":${text}}`;
  }
  const polygon = ringsOf(text);
  return polygon === null ? null : JSON.stringify(geometryOf(polygon));
}

/** The polygon of the same jobs as {@link geometryIn}, parsed. */
export function ringsIn(job: Uint8Array, { coordinates }: JobParts): MultiPolygonRings | null {
  return coordinates === null ? null : ringsOf(textOf(job, coordinates));
}

function ringsOf(coordinates: string): MultiPolygonRings | null {
  const type = typeOf(coordinates);
  const parsed = parseGeoJsonPolygon({ type, coordinates: JSON.parse(coordinates) });
  return parsed.kind === 'problem' ? null : parsed.polygon;
}

const typeOf = (coordinates: string) =>
  /^(?:\s*\[){4}/.test(coordinates) ? 'MultiPolygon' : 'Polygon';

const ONLY_NUMBERS = /^[[\],\d.eE+-]*$/;
const NESTED = /\d,\[/;

/** The properties of a job: its own, or else those of its Feature. Null if there are none. */
export function propertiesIn(job: Uint8Array, { properties }: JobParts): JobProperties | null {
  if (properties === null) return null;
  const bytes = bytesOf(properties);
  return { bytes, text: isOverLimit(bytes) ? null : textOf(job, properties) };
}

/** As {@link propertiesIn}, of a stored job; reads no more of its text. */
export async function readProperties(
  jobRequests: Pick<JobRequests, 'job'>,
  batchId: BatchId,
  { offset, parts }: JobEntry,
): Promise<JobProperties | null> {
  const { properties } = parts;
  if (properties === null) return null;
  const bytes = bytesOf(properties);
  if (isOverLimit(bytes)) return { bytes, text: null };
  const range = { offset: offset + properties.start, length: bytes };
  return { bytes, text: textOf(await jobRequests.job(batchId, range)) };
}

/** A warning if the properties of the job's Feature are over the limit. */
export function propertiesWarnings(properties: JobProperties | null): readonly JobWarning[] {
  if (properties === null || properties.text !== null) return [];
  return [
    {
      code: 'properties_dropped',
      message: `The properties of the Feature have ${properties.bytes} bytes; at most ${LIMITS.propertiesBytes} are kept, so the job has none.`,
    },
  ];
}

const bytesOf = ({ start, end }: Span): number => end - start;
const isOverLimit = (bytes: number): boolean => bytes > LIMITS.propertiesBytes;
