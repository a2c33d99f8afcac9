/**
 * The projections (`+proj=`) that functions carry for grids and covariates: those of national and continental grids, and the
 * equal-area ones of global soil maps. Views from space, cube faces and map-sheet curiosities would
 * be a fifth of proj4's code in every function that plans. `bundled-proj4.mjs` holds the same list.
 */
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

export function isProjection(name: string): boolean {
  return PROJECTIONS.some((projection) => projection === name);
}
