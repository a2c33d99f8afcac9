import { formatCount, formatWhole } from '../numbers.ts';

export const RESULT = {
  title: 'Result',
  waiting: 'Loading the result …',
  none: 'This job has no result.',
  otherModel:
    'The map cannot show this result because its model is no longer deployed. You can still download the result.',
  noWebGl:
    'The map cannot show the cells of results because WebGL is missing or switched off in this browser.',
  unreadable:
    'The raster cannot be read. You may be offline, its link may have expired, or it may have been deleted or damaged.',
  misplaced:
    'The map cannot show this raster because it is not in the coordinate system of its model.',
  unfinished: 'This job is not finished yet. The batch page shows its progress.',
  expired: (days: number) =>
    `This result has expired. Results are kept for ${formatCount(days, 'day')} after their batch is submitted. Submit the field again for a new result.`,
  back: 'Back to the batch',
  neighbours: 'Fields of the batch',
  previous: 'Previous field',
  next: 'Next field',
  place: (place: number, fields: number) => `${formatWhole(place)} of ${formatWhole(fields)}`,
  band: 'Shown on the map',
  scale: 'Colours span',
  scales: {
    batch: 'all fields of the batch',
    model: 'the whole range of the model',
    field: 'this field alone',
  },
  scaleOf: {
    batch: (low: string, high: string, unit: string) =>
      `≤ ${low} to ≥ ${high} ${unit}: all fields of the batch.`,
    model: (low: string, high: string, unit: string) =>
      `≤ ${low} to ≥ ${high} ${unit}: the whole range of the model.`,
    field: (low: string, high: string, unit: string) =>
      `≤ ${low} to ≥ ${high} ${unit}: this field alone. Do not compare its colours with those of other fields.`,
  },
  lower: (level: number) => `Lower bound of the ${level} % interval`,
  upper: (level: number) => `Upper bound of the ${level} % interval`,
  width: (level: number) => `Width of the ${level} % interval`,
  point: {
    mouse:
      'Point at a cell to read its value. While the map has the focus, arrow keys move the map.',
    touch: 'Tap a cell to read its value.',
  },
  noValue: 'No value here.',
  readMiddle: 'Show value at centre',
  value: (value: string, level: number, low: string, high: string) =>
    `${value}, ${level} % interval ${low} to ${high}`,
  shown: (title: string, value: string, unit: string) => `${title}: ${value} ${unit}`,
  data: (period: string) => `data of ${period}`,
  property: (name: string, depth: string, unit: string | null) =>
    `${name}, ${depth} cm${unit === null ? '' : `, in ${unit}`}`,
  unitOf: (unit: string, substance: string) => `${unit} of ${substance}`,
  accuracy: 'Model accuracy',
  noAccuracy: 'not stated',
  notFor: 'Not for',
  sources: 'Licenses and sources',
  source: (part: string, citation: string, license: string) => `${part}: ${citation} (${license})`,
  area: (area: string, predicted: string) =>
    predicted === area
      ? `Area: ${area}.`
      : `Area: ${area}, of which the model has values for ${predicted}.`,
  stock: (
    stock: string,
    range: { level: number; low: string; high: string } | null,
    perHectare: string | null,
  ) => {
    const total =
      range === null ? stock : `${stock} (${range.level} % interval ${range.low} to ${range.high})`;
    return `Total stock: ${total}${perHectare === null ? '' : `; ${perHectare}`}.`;
  },
  mean: (mean: string, range: { level: number; low: string; high: string } | null) =>
    range === null
      ? `Mean of the field: ${mean}.`
      : `Mean of the field: ${mean} (${range.level} % interval ${range.low} to ${range.high}).`,
  histogram: (title: string, spread: string) =>
    `Distribution of the cell values. ${title}: ${spread}`,
  bin: (from: string, to: string, unit: string, cells: number) =>
    `${from} to ${to} ${unit}: ${formatCount(cells, 'cell')}`,
  spread: (low: string, middle: string, high: string, unit: string) =>
    `${low} to ${high} ${unit}, median ${middle}.`,
  noValues: 'No cell has a value.',
  ofCells: (cells: number) => `${formatCount(cells, 'cell')}.`,
  ofOverview: (cells: number, size: string) =>
    `${formatCount(cells, 'overview cell')}, each ${size} wide, with the mean of the cells in it.`,
  download: 'Download the GeoTIFF',
  style: 'Save the QGIS style',
  styleOfBand: 'A QGIS style shows one band. Show a band on the map to save its style.',
  command: 'Download with curl',
  commandKey: 'The command reads the key from the environment variable API_KEY.',
} as const;
