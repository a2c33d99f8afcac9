import { isJsonObject } from '../../json/json-object.ts';
import { fieldIn, textOf } from '../../json/json-spans.ts';
import { LIMITS } from '../limits.ts';
import type { JobWarning } from './job.ts';

/** The `properties` of a job, as JSON text exactly as sent. */
interface JobProperties {
  readonly text: string;
  readonly bytes: number;
}

/** The GeoJSON of a job's text as sent: an object, otherwise not validated. */
export function polygonIn(job: Uint8Array): unknown {
  const value: unknown = JSON.parse(textOf(job));
  return isJsonObject(value) ? value['polygon'] : undefined;
}

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
  if (polygon === null) return null;
  const type = fieldIn(polygon, 'type');
  if (type === null || JSON.parse(textOf(type)) !== 'Feature') return null;
  return objectIn(polygon, 'properties');
}

function objectIn(container: Uint8Array, name: string): JobProperties | null {
  const value = fieldIn(container, name);
  if (value?.[0] !== OPEN_OBJECT) return null;
  return { text: textOf(value), bytes: value.length };
}

const OPEN_OBJECT = 0x7b;
