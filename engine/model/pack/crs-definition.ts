import { parseEllipsoid } from '../../projection/ellipsoid.ts';
import { isProjection, PROJECTIONS } from '../../projection/projections.ts';

/** The parameters that PROJ and proj4js read alike, and those that neither needs. */
const NUMBERS = new Set([
  ...['lat_0', 'lat_1', 'lat_2', 'lat_ts', 'lon_0', 'lon_1', 'lon_2', 'lonc', 'alpha', 'gamma'],
  ...['x_0', 'y_0', 'k', 'k_0', 'zone', 'to_meter', 'a', 'b', 'rf', 'R'],
]);
const FLAGS = new Set(['south', 'no_rot', 'no_off', 'no_uoff', 'czech', 'no_defs', 'wktext']);
const UNITS = ['m', 'km', 'ft', 'us-ft', 'degrees'];
/** Datums within a metre or two of WGS 84, by their PROJ names. Other datums have several possible shifts. */
const DATUMS = ['WGS84', 'NAD83'];

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const SHIFT = /^[^,]+(?:(?:,[^,]+){2}|(?:,[^,]+){6})$/;

/**
 * Lists the reasons to reject a `+proj=` definition. proj4js ignores a parameter, datum or ellipsoid that it does not
 * know. The map may then lie a hundred metres off.
 */
export function findDefinitionProblems(definition: string): readonly string[] {
  const parameters = definition.trim().split(/\s+/).map(parseParameter);
  const unreadable = parameters.flatMap(({ text, name, value }, i) => {
    if (parameters.findIndex((other) => other.name === name) < i)
      return `"${text}" is a repeated parameter`;
    return isKnownParameter(name, value) ? [] : (REASONS[name] ?? `"${text}" is not supported`);
  });
  if (unreadable.length > 0) return unreadable;
  const values = new Map(parameters.map(({ name, value }) => [name, value ?? '']));
  const projection = values.get('proj') ?? '';
  if (!isProjection(projection)) {
    return [`"${projection}" is not a supported projection: allowed are ${PROJECTIONS.join(', ')}`];
  }
  return [...findEllipsoidProblems(values), ...findFalseOriginProblems(values)];
}

interface Parameter {
  readonly text: string;
  readonly name: string;
  /** Absent for a flag. */
  readonly value: string | undefined;
}

function parseParameter(text: string): Parameter {
  const [, name = '', value] = /^\+([a-zA-Z_0-9]+)(?:=(.*))?$/.exec(text) ?? [];
  return { text, name, value };
}

const REASONS: Readonly<Record<string, string>> = {
  datum: `"+datum" is supported only for ${DATUMS.join(' and ')}: use "+ellps=…" with "+towgs84=…"`,
  nadgrids: '"+nadgrids" is not supported, as functions contain no shift grids: use "+towgs84=…"',
  towgs84: '"+towgs84" needs three or seven numbers',
};

function isKnownParameter(name: string, value: string | undefined): boolean {
  if (value === undefined) return FLAGS.has(name);
  if (NUMBERS.has(name)) return NUMBER.test(value);
  switch (name) {
    case 'proj':
    case 'ellps':
      return true;
    case 'units':
      return UNITS.includes(value);
    case 'datum':
      return DATUMS.includes(value);
    case 'towgs84':
      return SHIFT.test(value) && value.split(',').every((part) => NUMBER.test(part));
    case 'pm':
      return value === 'greenwich' || NUMBER.test(value);
    case 'nadgrids':
      return value === '@null';
    default:
      return name === 'type' && value === 'crs';
  }
}

/**
 * Rejects unknown ellipsoids and missing datum shifts; PROJ's tools may omit the shift when they
 * print a definition.
 */
function findEllipsoidProblems(values: ReadonlyMap<string, string>): readonly string[] {
  const ellipsoid = parseEllipsoid(values);
  const named = values.get('ellps');
  if (ellipsoid === null) {
    return [`"+ellps=${named}" is not an ellipsoid that proj4js knows: use "+a=…" and "+rf=…"`];
  }
  const { a, b } = ellipsoid;
  if (a === b || isWgs84(a, b) || values.has('towgs84')) return [];
  const shown = named ?? `a ${a}, b ${b}`;
  return [
    `a datum on the ellipsoid "${shown}" requires its shift to WGS84: add "+towgs84=…" (docs/manifest.md, The grid)`,
  ];
}

/** Accepts GRS80 too, whose axes differ from those of WGS 84 by about 0.1 mm at most. */
function isWgs84(a: number, b: number): boolean {
  return Math.abs(a - 6_378_137) < 0.01 && Math.abs(b - 6_356_752.314) < 0.01;
}

/** proj4js 2.22 ignores the false origin of the sinusoidal projection. */
function findFalseOriginProblems(values: ReadonlyMap<string, string>): readonly string[] {
  if (values.get('proj') !== 'sinu') return [];
  return ['x_0', 'y_0'].flatMap((name) => {
    const value = values.get(name) ?? '0';
    if (Number(value) === 0) return [];
    return `"+${name}=${value}" is not supported with "+proj=sinu": use a definition without a false origin`;
  });
}
