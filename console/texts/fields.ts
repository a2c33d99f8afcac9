import { MOST_LATITUDE } from '../files/file-limits.ts';
import type { LeftOutFeature } from '../files/outline.ts';
import type { Place } from '../files/place.ts';
import { formatCount, formatPlace, formatWhole } from '../numbers.ts';

export const FIELDS = {
  title: 'Fields',
  explanation: {
    mouse:
      'Draw fields on the map, or drop a file here: GeoJSON, GeoPackage, KML, KMZ or a zipped Shapefile. The dashed outline shows where the models have data.',
    touch:
      'Draw fields on the map, or open a file: GeoJSON, GeoPackage, KML, KMZ or a zipped Shapefile. The dashed outline shows where the models have data.',
  },
  draw: 'Draw a field',
  stopDrawing: 'Finish drawing',
  drawing: {
    mouse:
      'Click each corner on the map; double-click the last one, or press Enter. With the keyboard: arrow keys move the map, + and − zoom, Space or Enter sets a corner at the crosshair; press the same key again there to finish. Backspace removes a corner, Escape cancels.',
    touch: 'Tap each corner on the map, then “Finish drawing”.',
  },
  cornerSet: (corners: number, place: Place | null) =>
    place === null
      ? `Corner ${corners} set.`
      : `Corner ${corners} set at ${formatPlace(...place)}.`,
  cornerRemoved: (corners: number) => `Corner removed; ${formatCount(corners, 'corner')} left.`,
  drawn: 'The field is finished.',
  cancelled: 'Drawing cancelled.',
  undo: 'Undo',
  redo: 'Redo',
  editing: {
    mouse: 'Drag a corner to move it, or an edge to add one. Double-click a corner to remove it.',
    touch: 'Drag a corner to move it, or an edge to add one. Tap a corner twice to remove it.',
  },
  dense:
    'The map shows the bounds of this field, because its outline would take too long to draw. The batch contains the outline.',
  file: 'Open a file',
  remove: (name: string) => `Remove ${name}`,
  removeShort: 'Remove',
  clear: 'Remove all',
  clearQuestion: (fields: number) => `Remove ${formatCount(fields, 'field')} from this page?`,
  keep: 'Keep them',
  notKept:
    'These fields are too large for the tab to keep: a reload would lose them. Submit them, or keep the file that they came from.',
  none: 'No fields yet.',
  name: 'Name',
  fieldName: 'Field name',
  nameFrom: 'Names from',
  nameUnchanged: 'As they are',
  noGeometry: 'This field has no outline: its job will fail.',
  malformed:
    'The outline of this field is not valid, so the map does not show the field, and its job will fail.',
  area: 'Area',
  year: 'Year',
  batchName: 'Batch name (optional)',
  model: 'Model',
  modelByPlace: 'The first model that covers the field',
  aboutModel: (property: string, cells: string, id: string) =>
    `${property}, cells of ${cells} (${id})`,
  newName: (index: number) => `Field ${index}`,
  count: (fields: number) => formatCount(fields, 'field'),
  estimate: 'Estimate',
  yearInvalid: 'The year must be a whole number, such as 2024.',
  tooMany: (fields: number, most: number) =>
    `A batch has at most ${formatWhole(most)} fields; there are ${formatWhole(fields)}. Remove some.`,
} as const;

export const PASTE = {
  open: 'Paste fields',
  label: 'GeoJSON, or corners of a field (latitude, longitude)',
  hint: 'Write a corner on each line, latitude before longitude, such as “50.9665, 5.7345”. An empty line starts another field.',
  add: 'Add',
  text: 'The text',
  corner: (line: number) =>
    `Line ${line} is not a valid corner: write a latitude from -90 to 90, then a longitude from -180 to 180, in degrees with a decimal point.`,
  few: (line: number) => `The field that starts on line ${line} has fewer than 3 corners.`,
} as const;

export const GO_TO = {
  label: 'Go to latitude, longitude',
  example: '42.03, -93.6',
  go: 'Go',
  unknown:
    'This is not a valid place. Write its latitude, then its longitude, in degrees, such as 42.03, -93.6 or 42.03 N, 93.6 W.',
  found: (lat: number, lon: number, models: readonly string[]) => {
    const place = formatPlace(lon, lat);
    if (models.length === 0) return `${place}: no model has data there.`;
    return `${place}: covered by ${models.join('; ')}.`;
  },
} as const;

/** A file may have hundreds of layers or thousands of rows, so a message lists only this many. */
const MOST_LISTED = 10;

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MOST_LISTED).map((name) => `"${name}"`);
  const others = names.length - shown.length;
  return [...shown, ...(others > 0 ? [`${others} more`] : [])].join(', ');
}

function rowsText(rows: readonly number[]): string {
  const others = rows.length - MOST_LISTED;
  const shown = rows.slice(0, MOST_LISTED).join(', ');
  return `${rows.length === 1 ? 'row' : 'rows'} ${shown}${others > 0 ? ` and ${others} more` : ''}`;
}

const KINDS: Readonly<Record<LeftOutFeature['kind'], string>> = {
  point: 'a point',
  line: 'a line',
  closed_line: 'a closed line, not an area',
  collection: 'points or lines, without an area',
  other: 'not a geometry that has an area',
};

function leftOutText(leftOut: readonly LeftOutFeature[]): string {
  const kinds = [...new Set(leftOut.map(({ kind }) => kind))];
  return kinds
    .map((kind) => {
      const rows = leftOut.filter((one) => one.kind === kind);
      const name = rows.length === 1 && rows[0]?.name != null ? ` (“${rows[0].name}”)` : '';
      return `${rowsText(rows.map(({ row }) => row))}${name}: ${KINDS[kind]}`;
    })
    .join('; ');
}

/** Encodings that the page offers, by their names in the Encoding Standard; `cp` names are DOS code pages. */
export const ENCODINGS: Readonly<Record<string, string>> = {
  'utf-8': 'Unicode (UTF-8)',
  'windows-1252': 'Western European (Windows-1252)',
  'windows-1250': 'Central European (Windows-1250)',
  'windows-1251': 'Cyrillic (Windows-1251)',
  'windows-1253': 'Greek (Windows-1253)',
  'windows-1254': 'Turkish (Windows-1254)',
  'windows-1255': 'Hebrew (Windows-1255)',
  'windows-1256': 'Arabic (Windows-1256)',
  'windows-1257': 'Baltic (Windows-1257)',
  'windows-1258': 'Vietnamese (Windows-1258)',
  'windows-874': 'Thai (Windows-874)',
  'iso-8859-2': 'Central European (ISO 8859-2)',
  'iso-8859-15': 'Western European (ISO 8859-15)',
  gbk: 'Chinese, simplified (GBK)',
  gb18030: 'Chinese, simplified (GB 18030)',
  big5: 'Chinese, traditional (Big5)',
  shift_jis: 'Japanese (Shift JIS)',
  'euc-kr': 'Korean (EUC-KR)',
  'koi8-r': 'Cyrillic (KOI8-R)',
  ibm866: 'Cyrillic (DOS 866)',
  cp437: 'US (DOS 437)',
  cp850: 'Western European (DOS 850)',
  cp852: 'Central European (DOS 852)',
};

export const FILE = {
  reading: (name: string) => `Reading ${name} …`,
  waits: 'Answer the question first; the files that you have just opened come next.',
  layer: 'Layer to open',
  crs: 'Coordinate reference system',
  crsHint: 'An EPSG code, such as EPSG:28992.',
  crsInvalid: 'This is not a valid EPSG code. Enter a code such as EPSG:28992.',
  onlyPoints: (name: string) =>
    `${name} has only points, which have no area. Discs around the points can serve as fields.`,
  radius: (least: number, most: number) =>
    `Radius of the discs in metres, from ${least} to ${formatWhole(most)}`,
  noDiscs: (name: string, several: readonly number[], impossible: readonly number[]) => {
    const kinds = [
      ...(several.length > 0 ? [`${rowsText(several)}: several points`] : []),
      ...(impossible.length > 0
        ? [
            `${rowsText(impossible)}: across the antimeridian, beyond latitude ±${MOST_LATITUDE}, or not in degrees`,
          ]
        : []),
    ];
    return `${name} has points around which no disc is possible: ${kinds.join('; ')}.`;
  },
  open: 'Open it',
  leave: 'Leave it out',
  keep: 'Keep it as it is',
  slow: (name: string, seconds: number) =>
    `${name} was not read within ${formatCount(seconds, 'second')}: it is damaged, or too complex for this page. The soil-batch command may be able to read it.`,
  unread: (name: string) =>
    `${name} could not be read: the page could not load its reader. Try again.`,
  saveFirst: 'Save it as a file, and open the file.',
  noJson: (name: string) => `${name} is not GeoJSON: it is not valid JSON.`,
  notGeoJson: (name: string) =>
    `${name} is JSON, but not a GeoJSON document: save it as a FeatureCollection.`,
  noKml: (name: string, reason: string) => `${name} cannot be read as KML: ${reason}.`,
  layers: (name: string, layers: readonly string[]) =>
    `${name} has ${layers.length} layers: ${listed(layers)}.`,
  noCrs: (name: string) =>
    `${name} does not name its coordinate reference system, without which its coordinates mean nothing.`,
  notDegrees: (name: string, [x, y]: readonly number[]) =>
    `${name} has coordinates such as [${x}, ${y}], which are not longitude and latitude, but names no coordinate reference system.`,
  crsConflict: (name: string, named: string, chosen: string) =>
    `${name} is in ${named}, not in ${chosen}.`,
  farAway: (name: string, crs: string, lon: number, lat: number) =>
    `In ${crs}, a field of ${name} would lie at longitude ${lon.toFixed(2)}, latitude ${lat.toFixed(2)}, far from where this system is used, so the file is probably in another system.`,
  tooDeep: (name: string, most: number) =>
    `${name} nests arrays and objects more than ${most} levels deep.`,
  noFields: (name: string) => `${name} has no polygons.`,
  noLayer: (name: string, layer: string, layers: readonly string[]) =>
    `${name} has no layer "${layer}". Its layers: ${listed(layers) || 'none'}.`,
  leftOut: (name: string, leftOut: readonly LeftOutFeature[]) =>
    `Left out of ${name}: ${leftOutText(leftOut)}.`,
  partsIgnored: (name: string, rows: readonly number[]) =>
    `In ${name}, some fields have points or lines as well as polygons. Only the polygons are used: ${rowsText(rows)}.`,
  notFinite: (name: string, rows: readonly number[]) =>
    `${name} has coordinates that are not numbers, so jobs will fail: ${rowsText(rows)}.`,
  infiniteAttributes: (name: string, rows: readonly number[]) =>
    `${name} has infinite attribute values, which are left out: ${rowsText(rows)}.`,
  systemsDiffer: (name: string, layer: string, id: number) =>
    `${name} gives ${layer} as the reference system of the layer, but ${id} as that of its geometries. Export the layer again.`,
  links: (name: string) =>
    `${name} links to other files, which are not read. Download those files, and open them too.`,
  heights: (name: string) => `The heights in ${name} are not used: fields are two-dimensional.`,
  edits: (name: string) =>
    `${name} may lack your latest edits: while QGIS, QField or another program has a GeoPackage open, saved edits may be in a separate file next to it (${name}-wal), which this page cannot read. Close it there, or export the layer, and open it here again.`,
  encodingGuessed: (name: string, encoding: string) =>
    `${name} does not state the encoding of its text, which is read as ${encoding}.`,
  encodingUnknown: (name: string, encoding: string) =>
    `${name} cannot be read in the encoding "${encoding}", which this page does not know.`,
  encoding: 'Text encoding',
  encodingQuestion: (name: string) =>
    `If letters in the names of ${name} are wrong, choose its text encoding.`,
  otherEncoding: (name: string) => `Choose another encoding for ${name}`,
  oneLayer: (name: string) => `Choose one layer of ${name}`,
  otherCrs: (name: string, crs: string) =>
    `${name} uses the coordinate reference system ${crs}, which this page cannot convert exactly. Save it in EPSG:4326, or use the soil-batch command.`,
  noArchived: (name: string) => `${name} contains no Shapefile, GeoPackage, GeoJSON or KML file.`,
  partMissing: (name: string) =>
    `${name} lacks a part of the Shapefile: it needs a .shp and a .dbf file of the same name.`,
  rowsDiffer: (name: string) =>
    `${name} has different numbers of shapes and rows, so fields might get wrong names. Export the Shapefile again.`,
  encodingOther: (name: string, stated: string, encoding: string) =>
    `The text in ${name} is read as ${encoding}, because it cannot be read as ${stated.toUpperCase()}, which the file states or its format requires.`,
  view: (name: string, layer: string) =>
    `The layer ${layer} of ${name} is a view, a virtual table or a table with computed columns, which this page does not read. Save the layer as a plain table.`,
  geometriesSeveral: (name: string, layer: string) =>
    `The layer ${layer} of ${name} has several geometry columns. Export it with one geometry column.`,
  damaged: (name: string) => `${name} is damaged and cannot be read.`,
  empty: (name: string) => `${name} is empty.`,
  folder: (name: string) =>
    `${name} is a folder or can no longer be read. If it is a folder, open the files in it.`,
  tooLarge: (name: string, most: string) => `${name} has more than ${most}.`,
  tooMany: (name: string, fields: number, vertices: number) =>
    `${name} has more than ${formatCount(fields, 'field')} or ${formatCount(vertices, 'corner')}. Save a part of it as a separate file, or use the soil-batch command, which makes several batches.`,
  unknown: (name: string) =>
    `${name} is not a GeoJSON, GeoPackage, KML, KMZ or zipped Shapefile. Save it as one of these, or use the soil-batch command, which also reads CSV, FlatGeobuf, GeoParquet and file geodatabases.`,
  shapefilePart: (name: string) =>
    `${name} is one part of a Shapefile. Zip all parts (.shp, .shx, .dbf, .prj) and open the .zip file.`,
} as const;
