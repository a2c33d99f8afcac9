/** The projections (`+proj=`) that a pack's grid and covariates may use. */
export const PROJECTIONS = [
  'longlat',
  'merc',
  'tmerc',
  'etmerc',
  'utm',
  'lcc',
  'laea',
  'aea',
  'aeqd',
  'eqdc',
  'cea',
  'sinu',
  'moll',
  'stere',
  'sterea',
  'somerc',
  'omerc',
  'krovak',
  'cass',
  'poly',
] as const;

export function isGeographicDefinition(definition: string): boolean {
  return /^\+proj=(?:longlat|latlong|lonlat|latlon)\b/.test(definition);
}

export function isProjection(name: string): boolean {
  return PROJECTIONS.some((projection) => projection === name);
}
