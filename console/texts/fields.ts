import { count } from '../numbers.ts';

export const FIELDS = {
  title: 'Fields',
  explanation:
    'Draw fields on the map, or drop a file here: GeoJSON, GeoPackage or a zipped Shapefile. The dashed outline shows where the models have data.',
  draw: 'Draw a field',
  stopDrawing: 'Finish drawing',
  drawing:
    'Click each corner on the map; double-click the last one, or press Enter. Backspace removes a corner, Escape cancels.',
  editing: 'Drag a corner to move it, or an edge to add one. Double-click a corner to remove it.',
  file: 'Open a file',
  remove: (name: string) => `Remove ${name}`,
  removeShort: 'Remove',
  clear: 'Remove all',
  clearQuestion: (fields: number) => `Remove ${count(fields, 'field')} from this page?`,
  keep: 'Keep them',
  none: 'No fields yet.',
  name: 'Name',
  fieldName: 'Name of the field',
  area: 'Area',
  year: 'Year',
  batchName: 'Name of the batch (optional)',
  newName: (index: number) => `Field ${index}`,
  count: (fields: number) => count(fields, 'field'),
  estimate: 'Estimate',
  yearInvalid: 'The year must be a whole number, such as 2024.',
  tooMany: (fields: number, most: number) =>
    `A batch has at most ${most} fields; there are ${fields}. Remove some.`,
} as const;
