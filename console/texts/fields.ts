import { count } from '../numbers.ts';

export const FIELDS = {
  title: 'Fields',
  explanation: {
    mouse:
      'Draw fields on the map, or drop a file here: GeoJSON, GeoPackage, KML or a zipped Shapefile. The dashed outline shows where the models have data.',
    touch:
      'Draw fields on the map, or open a file: GeoJSON, GeoPackage, KML or a zipped Shapefile. The dashed outline shows where the models have data.',
  },
  draw: 'Draw a field',
  stopDrawing: 'Finish drawing',
  drawing: {
    mouse:
      'Click each corner on the map; double-click the last one, or press Enter. Backspace removes a corner, Escape cancels.',
    touch: 'Tap each corner on the map, then “Finish drawing”.',
  },
  editing: {
    mouse: 'Drag a corner to move it, or an edge to add one. Double-click a corner to remove it.',
    touch: 'Drag a corner to move it, or an edge to add one. Tap a corner twice to remove it.',
  },
  dense:
    'The map shows the bounds of this field, because its outline would take too long to draw. The batch has the outline.',
  file: 'Open a file',
  remove: (name: string) => `Remove ${name}`,
  removeShort: 'Remove',
  clear: 'Remove all',
  clearQuestion: (fields: number) => `Remove ${count(fields, 'field')} from this page?`,
  keep: 'Keep them',
  none: 'No fields yet.',
  name: 'Name',
  fieldName: 'Name of the field',
  nameFrom: 'Name from',
  nameUnchanged: 'As it is',
  noGeometry: 'The file has no geometry for this field: its job will fail.',
  area: 'Area',
  year: 'Year',
  batchName: 'Name of the batch (optional)',
  model: 'Model',
  modelByPlace: 'The first that covers the field',
  aboutModel: (property: string, cells: string, id: string) =>
    `${id}: ${property}, cells of ${cells}`,
  newName: (index: number) => `Field ${index}`,
  count: (fields: number) => count(fields, 'field'),
  estimate: 'Estimate',
  yearInvalid: 'The year must be a whole number, such as 2024.',
  tooMany: (fields: number, most: number) =>
    `A batch has at most ${most} fields; there are ${fields}. Remove some.`,
} as const;

export const PASTE = {
  open: 'Paste fields',
  label: 'GeoJSON, or corners of a field',
  hint: 'A corner on each line, its longitude before its latitude, such as “5.7345, 50.9665”. An empty line starts another field.',
  add: 'Add',
  text: 'The text',
  corner: (line: number) =>
    `Line ${line} is no corner: write a longitude from -180 to 180 and a latitude from -90 to 90, in degrees with a decimal point.`,
  few: (line: number) => `The field that starts on line ${line} has fewer than 3 corners.`,
} as const;

export const GO_TO = {
  label: 'Go to latitude, longitude',
  example: '42.03, -93.6',
  go: 'Go',
  unknown:
    'This is no place. Write its latitude and its longitude in degrees, such as 42.03, -93.6 or 93.6 W, 42.03 N.',
  found: (lat: number, lon: number, models: readonly string[]) => {
    const place = `${degrees(lat, 'N', 'S')}, ${degrees(lon, 'E', 'W')}`;
    if (models.length === 0) return `${place}: no model has data there.`;
    return `${place}: covered by ${models.join('; ')}.`;
  },
} as const;

/** To a metre. */
function degrees(value: number, positive: string, negative: string): string {
  return `${Number(Math.abs(value).toFixed(5))}° ${value < 0 ? negative : positive}`;
}

/** A file may have hundreds of layers; a message lists the first. */
const MOST_LISTED = 10;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED).map((name) => `"${name}"`);
  const others = names.length - shown.length;
  return [...shown, ...(others > 0 ? [`${others} more`] : [])].join(', ');
}

export const FILE = {
  reading: (name: string) => `Reading ${name} …`,
  waits: 'Answer the question first; what you have just opened follows.',
  layer: 'Layer to open',
  crs: 'Its coordinate reference system',
  crsHint: 'An EPSG code, such as EPSG:28992.',
  crsInvalid: 'This is no EPSG code, such as EPSG:28992.',
  open: 'Open it',
  leave: 'Leave it out',
  slow: (name: string, seconds: number) =>
    `${name} was not read within ${count(seconds, 'second')}: it is damaged, or too complex for this page. The command soil-batch may read it.`,
  unread: (name: string) =>
    `${name} could not be read: the page could not load its reader. Try again.`,
  saveFirst: 'Save it as a file, and open that.',
  noJson: (name: string) => `${name} is not GeoJSON: it is not valid JSON.`,
  noKml: (name: string, reason: string) => `${name} is no KML that can be read: ${reason}.`,
  layers: (name: string, layers: readonly string[]) =>
    `${name} has ${layers.length} layers: ${listed(layers)}.`,
  noCrs: (name: string) =>
    `${name} does not name its coordinate reference system, without which its coordinates mean nothing.`,
  notDegrees: (name: string, [x, y]: readonly number[]) =>
    `${name} has coordinates such as [${x}, ${y}], which are no longitude and latitude, but names no coordinate reference system.`,
  farAway: (name: string, crs: string, lon: number, lat: number) =>
    `In ${crs}, a field of ${name} would lie at longitude ${lon.toFixed(2)}, latitude ${lat.toFixed(2)}, far from where this system is used: the file is in another one.`,
  tooDeep: (name: string, most: number) =>
    `${name} nests arrays and objects more than ${most} levels deep.`,
  noFields: (name: string) => `${name} has no polygons.`,
  skipped: (skipped: number) => `${count(skipped, 'feature')} left out: not a polygon.`,
  otherCrs: (name: string, crs: string) =>
    `${name} uses the coordinate reference system ${crs}, which this page cannot convert exactly. Save it in EPSG:4326, or use the command soil-batch.`,
  noShapefile: (name: string) => `${name} contains no Shapefile: it needs a .shp and a .dbf file.`,
  view: (name: string, layer: string) =>
    `The layer ${layer} of ${name} is computed, such as a view, and this page does not read it. Save it as a table.`,
  damaged: (name: string) => `${name} is damaged and cannot be read.`,
  empty: (name: string) => `${name} is empty.`,
  folder: (name: string) =>
    `${name} is a folder or can no longer be read. Open the files that are in it.`,
  tooLarge: (name: string, most: string) => `${name} has more than ${most}.`,
  tooMany: (name: string, fields: number, vertices: number) =>
    `${name} has more than ${count(fields, 'field')} or ${count(vertices, 'corner')}. Save some of them as a file, or use the command soil-batch, which makes several batches.`,
  unknown: (name: string) =>
    `${name} is not a GeoJSON, GeoPackage, KML or zipped Shapefile. Save it as one of these.`,
  shapefilePart: (name: string) =>
    `${name} is one part of a Shapefile. Zip all of them (.shp, .shx, .dbf, .prj) and open the .zip file.`,
} as const;
