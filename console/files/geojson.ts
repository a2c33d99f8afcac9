import { jsonShape } from 'soil-batch-client';
import { MAX_DEPTH } from '../../cli/src/fields/rules/limits.ts';
import {
  crsOfGeoJson,
  firstPosition,
  isInDegrees,
} from '../../cli/src/fields/rules/reference-systems.ts';
import { FILE_TEXTS } from '../../cli/src/fields/rules/texts.ts';
import { TEXTS } from '../texts.ts';
import { conversionOf } from './crs.ts';
import {
  type Candidate,
  type Choice,
  FileQuestion,
  FileRejected,
  fieldsAmong,
  type ReadFile,
  type ToWgs84,
} from './file-fields.ts';
import { MOST_CONTAINERS, MOST_FIELDS, MOST_VERTICES } from './limits.ts';

/** @throws FileRejected */
export function readGeoJson(fileName: string, text: string, choice: Choice = {}): ReadFile {
  const document = parsed(fileName, text);
  const candidates = featuresOf(document).map(candidateOf);
  const convert = conversionFor(fileName, document, candidates, choice);
  return fieldsAmong(candidates, convert);
}

/** From the system in `crs`, which GeoJSON had before RFC 7946; without one, positions are in WGS 84. */
function conversionFor(
  fileName: string,
  document: unknown,
  candidates: readonly Candidate[],
  { crs: chosen }: Choice,
): ToWgs84 {
  const named = crsOfGeoJson(document);
  if (named !== null || chosen !== undefined) return conversionOf(fileName, named, chosen);
  const metres = candidates
    .map(({ geometry }) => firstPosition(geometry))
    .find((position) => !isInDegrees(position));
  if (metres === undefined) return (polygon) => polygon;
  throw new FileQuestion(FILE_TEXTS.notDegrees(fileName, metres, ''), { kind: 'crs' });
}

function parsed(fileName: string, text: string): unknown {
  const { depth, containers } = jsonShape(new TextEncoder().encode(text));
  if (depth > MAX_DEPTH) throw new FileRejected(TEXTS.file.tooDeep(fileName, MAX_DEPTH));
  if (containers > MOST_CONTAINERS) {
    throw new FileRejected(TEXTS.file.tooMany(fileName, MOST_FIELDS, MOST_VERTICES));
  }
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new FileRejected(TEXTS.file.noJson(fileName));
  }
}

function featuresOf(document: unknown): readonly object[] {
  const { type, features, geometries } = Object(document);
  if (type === 'FeatureCollection' && Array.isArray(features)) return features.map(Object);
  if (type === 'GeometryCollection' && Array.isArray(geometries)) return geometries.map(Object);
  return [Object(document)];
}

function candidateOf(feature: object): Candidate {
  const { type, geometry, properties, id }: Record<string, unknown> = Object(feature);
  if (type !== 'Feature') return { geometry: feature, attributes: {} };
  return { geometry, attributes: recordOf(properties), id };
}

/** To list the keys of a long text or array would take minutes. */
function recordOf(properties: unknown): Readonly<Record<string, unknown>> {
  return typeof properties === 'object' && !Array.isArray(properties) ? Object(properties) : {};
}
