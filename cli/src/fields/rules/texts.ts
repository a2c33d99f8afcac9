/** The first layers of a file that has hundreds. */
const LISTED = 10;

/**
 * What is wrong with a file of fields, in the words of the CLI and the console. Each has its own way out
 * of some problems, a sentence that follows.
 */
export const FILE_TEXTS = {
  noCrs: (file: string, wayOut: string) =>
    `${file} does not name its coordinate reference system, without which its coordinates mean nothing. ${wayOut}`,
  notDegrees: (file: string, [x, y]: readonly number[], wayOut: string) =>
    `${file} has coordinates such as [${x}, ${y}], which are no longitude and latitude, but names no coordinate reference system. ${wayOut}`,
  isInDegrees: (file: string, crs: string) =>
    `${file} has coordinates in degrees, which are WGS 84 (RFC 7946), not ${crs}.`,
  namesOther: (file: string, own: string, chosen: string) =>
    `${file} says itself that it is in ${own}, not in ${chosen}.`,
  farAway: (file: string, crs: string, [lon, lat]: readonly [number, number]) =>
    `In ${crs}, a field of ${file} would lie at longitude ${lon.toFixed(2)}, latitude ${lat.toFixed(2)}, far from where this system is used: the file is in another one.`,
  outside: (file: string, crs: string, area: string, [lon, lat]: readonly [number, number]) =>
    `${file} is in ${crs}, but has a field near longitude ${lon.toFixed(2)}, latitude ${lat.toFixed(2)}. That is outside the area of this system (${area}), where no conversion to WGS 84 is defined: the file probably names the wrong one.`,
  layers: (file: string, layers: readonly string[], wayOut: string) =>
    `${file} has ${layers.length} layers: ${listed(layers)}. ${wayOut}`,
  noLayer: (file: string, layers: readonly string[], wanted: string) =>
    `${file} has no layer "${wanted}", but ${listed(layers)}.`,
} as const;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, LISTED).map((name) => `"${name}"`);
  const others = names.length - shown.length;
  return [...shown, ...(others > 0 ? [`${others} more`] : [])].join(', ');
}
