import { geometryOf } from '../../geometry/geojson.ts';
import { parseGeoJsonPolygon } from '../../geometry/parse.ts';
import { isJsonObject } from '../../json/json-object.ts';
import { fieldIn, textOf } from '../../json/json-spans.ts';
import { LIMITS } from '../limits.ts';
import type { JobWarning } from './job.ts';

/** The `properties` of a job, as JSON text exactly as sent. */
interface JobProperties {
  readonly text: string;
  readonly bytes: number;
}

/** The `polygon` of a job's text as sent: any value, not validated. */
export function polygonIn(job: Uint8Array): unknown {
  const value: unknown = JSON.parse(textOf(job));
  return isJsonObject(value) ? value['polygon'] : undefined;
}

/**
 * The GeoJSON geometry of a job's polygon, with the coordinates spelled as sent, without white space and
 * foreign fields. Null if it is no Polygon or MultiPolygon in WGS84 with closed rings (RFC 7946); rings
 * may cross.
 */
export function geometryIn(job: Uint8Array): string | null {
  const polygon = fieldIn(job, 'polygon');
  if (polygon === null) return null;
  const parsed = parseGeoJsonPolygon(JSON.parse(textOf(polygon)));
  if (parsed.kind === 'problem') return null;
  const geometry = (isFeature(polygon) ? fieldIn(polygon, 'geometry') : null) ?? polygon;
  const [type, coordinates] = [fieldIn(geometry, 'type'), fieldIn(geometry, 'coordinates')];
  if (type === null || coordinates === null) return null;
  const sent = textOf(coordinates).replace(/\s+/g, '');
  // What follows the first two numbers of a position is not validated.
  const text = ONLY_NUMBERS.test(sent) && !NESTED.test(sent) ? sent : null;
  return text === null
    ? JSON.stringify(geometryOf(parsed.polygon))
    : `{"type":${textOf(type)},"coordinates":${text}}`;
}

const ONLY_NUMBERS = /^[[\],\d.eE+-]*$/;
const NESTED = /\d,\[/;

/**
 * The exact properties of a job: its own, or else those of its Feature. Null if there are none, or if
 * those of the Feature are over the limit.
 */
export function propertiesIn(job: Uint8Array): string | null {
  const properties = sentProperties(job);
  return properties === null || isOverLimit(properties) ? null : properties.text;
}

/** A warning if the properties of the job's Feature are over the limit. */
export function propertiesWarnings(job: Uint8Array): readonly JobWarning[] {
  const properties = sentProperties(job);
  if (properties === null || !isOverLimit(properties)) return [];
  return [
    {
      code: 'properties_dropped',
      message: `The properties of the Feature have ${properties.bytes} bytes; at most ${LIMITS.propertiesBytes} are kept, so the job has none.`,
    },
  ];
}

const isOverLimit = ({ bytes }: JobProperties): boolean => bytes > LIMITS.propertiesBytes;

function sentProperties(job: Uint8Array): JobProperties | null {
  return objectIn(job, 'properties') ?? featureProperties(fieldIn(job, 'polygon'));
}

/** RFC 7946, section 3.2: `properties` of a Feature is an object or null. */
function featureProperties(polygon: Uint8Array | null): JobProperties | null {
  return polygon !== null && isFeature(polygon) ? objectIn(polygon, 'properties') : null;
}

function isFeature(polygon: Uint8Array): boolean {
  const type = fieldIn(polygon, 'type');
  return type !== null && JSON.parse(textOf(type)) === 'Feature';
}

function objectIn(container: Uint8Array, name: string): JobProperties | null {
  const value = fieldIn(container, name);
  if (value?.[0] !== OPEN_OBJECT) return null;
  return { text: textOf(value), bytes: value.length };
}

const OPEN_OBJECT = 0x7b;
