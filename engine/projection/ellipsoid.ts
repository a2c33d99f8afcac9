import proj4 from 'proj4';

const PARAMETERS = ['datum', 'ellps', 'a', 'b', 'rf', 'R'];

/**
 * The semi-axes in metres that proj4js uses; null for an ellipsoid name that proj4js does not know and would treat as
 * WGS 84.
 *
 * @param values the parameters of a definition by their names
 */
export function parseEllipsoid(
  values: ReadonlyMap<string, string>,
): { readonly a: number; readonly b: number } | null {
  const named = values.get('ellps');
  if (named !== undefined && named !== 'WGS84') {
    const known = findAxes(`+ellps=${named}`);
    const wgs84 = findAxes('+ellps=WGS84');
    if (known.a === wgs84.a && known.b === wgs84.b) return null;
  }
  return findAxes(
    PARAMETERS.flatMap((name) => (values.has(name) ? `+${name}=${values.get(name)}` : [])).join(
      ' ',
    ),
  );
}

function findAxes(ellipsoid: string): { readonly a: number; readonly b: number } {
  const { a = Number.NaN, b = Number.NaN } = proj4(`+proj=longlat ${ellipsoid}`).oProj ?? {};
  return { a, b };
}
