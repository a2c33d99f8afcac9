export type Place = readonly [lon: number, lat: number];

type Axis = 'lon' | 'lat';

/** Which coordinate comes first if no letter says so. */
export type Order = readonly [Axis, Axis];
export const LATITUDE_FIRST: Order = ['lat', 'lon'];
export const LONGITUDE_FIRST: Order = ['lon', 'lat'];

const DECIMAL = String.raw`\d+(?:\.\d+)?`;
const DEGREES = String.raw`${DECIMAL}(?:\s*°(?:\s*${DECIMAL}\s*'(?:\s*${DECIMAL}\s*")?)?)?`;
const ANGLE = String.raw`([NSEW]\s*${DEGREES}|${DEGREES}\s*[NSEW]|[-+]?${DEGREES})`;
/** The separator between two angles; none is needed after a unit sign or a letter. */
const BETWEEN = String.raw`(?:\s*[,;]\s*|\s+|(?<=[NSEW°'"]))`;
const TWO_ANGLES = new RegExp(`^${ANGLE}${BETWEEN}${ANGLE}$`);

const LARGEST: Readonly<Record<Axis, number>> = { lon: 180, lat: 90 };

/**
 * Parses a place in degrees, such as `42.03, -93.6`, `93.6 W 42.03 N` or `42° 1' 48" N, 93° 36' W`; null if the
 * text is not a place.
 */
export function parsePlace(text: string, order: Order): Place | null {
  const [, ...angles] = TWO_ANGLES.exec(normalizeText(text)) ?? [];
  const read = angles.map(parseAngle);
  const named = read.map(({ axis }) => axis);
  // A letter on one angle determines the axis of the other.
  const isTurned = [0, 1].some((at) => named[at] !== null && named[at] !== order[at]);
  const axes = isTurned ? order.toReversed() : order;
  const degreesOf = (axis: Axis) => {
    const angle = read[axes.indexOf(axis)];
    const isMeant = angle !== undefined && (angle.axis ?? axis) === axis;
    return isMeant && Math.abs(angle.degrees) <= LARGEST[axis] ? angle.degrees : null;
  };
  const [lon, lat] = [degreesOf('lon'), degreesOf('lat')];
  return lon === null || lat === null ? null : [lon, lat];
}

/**
 * Makes letters upper case and replaces variants of the minus, degree, minute and second signs with one character each.
 */
function normalizeText(text: string): string {
  return text
    .trim()
    .toUpperCase()
    .replaceAll(/[−–]/g, '-')
    .replaceAll('º', '°')
    .replaceAll(/[′’´]/g, "'")
    .replaceAll(/[″”]|''/g, '"');
}

function parseAngle(text: string): { readonly degrees: number; readonly axis: Axis | null } {
  const [degrees = 0, minutes = 0, seconds = 0] = (text.match(/\d+(?:\.\d+)?/g) ?? []).map(Number);
  const letter = /[NSEW]/.exec(text)?.[0];
  const isNegative = /[-SW]/.test(text);
  const size = minutes < 60 && seconds < 60 ? degrees + minutes / 60 + seconds / 3_600 : Number.NaN;
  const axis = letter === undefined ? null : /[NS]/.test(letter) ? 'lat' : 'lon';
  return { degrees: isNegative ? -size : size, axis };
}
