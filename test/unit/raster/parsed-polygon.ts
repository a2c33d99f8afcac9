import { parseJobPolygon } from '../../../engine/geometry/parse.ts';

export type Ring = readonly (readonly number[])[];
export const polygon = (...rings: readonly Ring[]) => ({ type: 'Polygon', coordinates: rings });
export const multiPolygon = (...polygons: readonly (readonly Ring[])[]) => ({
  type: 'MultiPolygon',
  coordinates: polygons,
});

export function problemOf(value: unknown) {
  const parsed = parseJobPolygon(value);
  if (parsed.kind !== 'problem') throw new Error('parsed as a polygon');
  return parsed;
}

export function polygonOf(value: unknown) {
  const parsed = parseJobPolygon(value);
  if (parsed.kind !== 'polygon') throw new Error(parsed.message);
  return parsed;
}

/** The number of positions, without those that close rings. */
export function verticesOf({ polygon: parts }: ReturnType<typeof polygonOf>): number {
  return parts.flat().reduce((sum, ring) => sum + ring.length - 1, 0);
}
