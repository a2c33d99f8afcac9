import type { Polygonal } from '../fields/field.ts';
import { TEXTS } from '../texts.ts';
import { discAround } from './discs.ts';
import {
  type Candidate,
  type Choice,
  type FileFields,
  FileQuestion,
  FileRejected,
  selectAreas,
  type ToWgs84,
} from './file-fields.ts';
import { listPlaces, outlineOf } from './outline.ts';

/**
 * Selects the fields among candidates or, if there are only points, makes discs around them.
 * @throws FileQuestion if the user has not chosen a radius; FileRejected for points that cannot have a disc
 */
export function selectFields(
  fileName: string,
  candidates: readonly Candidate[],
  convert: ToWgs84,
  { buffer }: Choice,
): FileFields {
  const kinds = new Set(candidates.map(({ geometry }) => outlineOf(geometry).kind));
  kinds.delete('none');
  if (kinds.size !== 1 || !kinds.has('point')) return selectAreas(fileName, candidates, convert);
  if (buffer === undefined) {
    throw new FileQuestion(TEXTS.file.onlyPoints(fileName), { kind: 'radius' });
  }
  const several: number[] = [];
  const impossible: number[] = [];
  const discs = candidates.map((candidate, index): Candidate => {
    const [place, ...others] = listPlaces(candidate.geometry);
    if (place === undefined) return { ...candidate, geometry: null };
    const geometry = discAround(inDegrees(place, convert), buffer);
    if (others.length > 0) several.push(index + 1);
    else if (geometry === null) impossible.push(index + 1);
    return { ...candidate, geometry };
  });
  if (several.length + impossible.length > 0) {
    const message = TEXTS.file.noDiscs(fileName, several, impossible);
    throw new FileRejected('points_unusable', message);
  }
  return selectAreas(fileName, discs, (disc) => disc);
}

function inDegrees(place: readonly number[], convert: ToWgs84): readonly number[] {
  const point: Polygonal = { type: 'Polygon', coordinates: [[place.slice(0, 2)]] };
  const [ring] = convert(point).coordinates;
  return [...(ring?.[0] ?? []), ...place.slice(2)].filter((one) => typeof one === 'number');
}
