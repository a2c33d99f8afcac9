import { count } from './numbers.ts';

const TIME = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' });

export const timeText = (time: string) => TIME.format(new Date(time));

/** Every text of the console. */
export const TEXTS = {
  title: 'Soil console',
  pages: { fields: 'Fields', estimate: 'Estimate', history: 'Batches' },
  skip: 'Skip to the page',
  key: {
    title: 'API key',
    explanation:
      'Enter the API key of your tenant. It stays in the memory of this page: it is not stored, and a reload asks for it again.',
    label: 'API key',
    enter: 'Open the console',
    checking: 'Checking the key …',
    refused:
      'The service does not know this key, or it has expired. Check that you copied all of it, or ask your operator for another.',
    disabled: 'The tenant of this key is disabled. Ask your operator.',
    forget: 'Forget the key',
  },
  map: {
    label: 'Map. Arrow keys move it, plus and minus zoom.',
  },
  fields: {
    title: 'Fields',
    explanation:
      'Draw fields on the map, or drop a file here: GeoJSON, GeoPackage or a zipped Shapefile. The dashed outline shows where the models have data.',
    draw: 'Draw a field',
    stopDrawing: 'Stop drawing',
    drawing:
      'Click each corner on the map; click the first corner again to close the field. Escape cancels.',
    file: 'Open a file',
    remove: (name: string) => `Remove ${name}`,
    removeShort: 'Remove',
    clear: 'Remove all',
    none: 'No fields yet.',
    name: 'Name',
    year: 'Year',
    batchName: 'Name of the batch (optional)',
    newName: (index: number) => `Field ${index}`,
    count: (fields: number) => count(fields, 'field'),
    estimate: 'Estimate',
    yearInvalid: 'The year must be a whole number, such as 2024.',
    tooMany: (fields: number, most: number) =>
      `A batch has at most ${most} fields; there are ${fields}. Remove some.`,
  },
  file: {
    noJson: (name: string) => `${name} is not GeoJSON: it is not valid JSON.`,
    noFields: (name: string) => `${name} has no polygons.`,
    skipped: (skipped: number) => `${count(skipped, 'feature')} without a polygon left out.`,
    otherCrs: (name: string, crs: string) =>
      `${name} uses the coordinate reference system ${crs}, which this page can not convert exactly. Convert the file with the CLI.`,
    noCrs: (name: string) =>
      `${name} has no .prj file, so its coordinate reference system is unknown. Add it, or convert the file with the CLI.`,
    noShapefile: (name: string) =>
      `${name} contains no Shapefile: it needs a .shp and a .dbf file.`,
    layers: (name: string, layers: readonly string[]) =>
      `${name} has ${layers.length} layers (${layers.slice(0, 5).join(', ')}). Extract one, or choose it with the CLI.`,
    damaged: (name: string) => `${name} is damaged and can not be read.`,
    tooLarge: (name: string, most: string) => `${name} has more than ${most}.`,
    unknown: (name: string) =>
      `${name} is none of GeoJSON, GeoPackage and zipped Shapefile. Convert it with the CLI.`,
  },
  unknown: 'unknown',
  estimate: {
    title: 'Estimate',
    waiting: 'Estimating …',
    back: 'Back to the fields',
    area: 'Area',
    cost: 'Cost on AWS',
    time: 'Time',
    range: (from: string, to: string) => `${from} to ${to}`,
    quota: 'Quota of today',
    jobs: 'Jobs',
    quotaOf: (wanted: string, remaining: string) => `${wanted} of ${remaining} left`,
    noneFail: 'No field will fail.',
    fail: (failing: number) => `${count(failing, 'field')} will fail`,
    submit: (fields: number) => `Submit ${count(fields, 'field')}`,
    overQuota: (resets: Date) =>
      `The batch does not fit into what is left of the quota. It is full again at ${TIME.format(resets)}.`,
    allFail: 'Every field would fail; correct at least one.',
  },
  progress: {
    title: 'Batch',
    label: 'Progress of the batch',
    waiting: 'Reading the batch …',
    jobs: 'Jobs',
    state: 'State',
    value: 'Mean',
    job: (index: number) => `Job ${index}`,
    states: {
      pending: 'Waiting to start.',
      processing: 'Running.',
      completed: 'Completed.',
      failed: 'Failed.',
      partial: 'Finished; some jobs failed.',
    },
    jobStates: {
      pending: 'waiting',
      processing: 'running',
      completed: 'completed',
      failed: 'failed',
    },
    counts: (completed: number, failed: number, total: number) =>
      `${completed} of ${count(total, 'job')} completed, ${failed} failed.`,
    left: (time: string) => `About ${time} left.`,
    cancel: 'Cancel the batch',
    cancelling: 'Cancelling …',
  },
  result: {
    title: 'Result',
    waiting: 'Reading the result …',
    none: 'This job has no result.',
    back: 'Back to the batch',
    band: 'Shown on the map',
    width: (level: number) => `Width of the ${level} % interval`,
    point: 'Point at a cell to read its value.',
    value: (value: string, level: number, low: string, high: string) =>
      `${value}, ${level} % interval ${low} to ${high}`,
    mean: (mean: string, range: { level: number; low: string; high: string } | null) =>
      range === null
        ? `Mean of the field: ${mean}.`
        : `Mean of the field: ${mean} (${range.level} % interval ${range.low} to ${range.high}).`,
    download: 'Download the GeoTIFF',
  },
  history: {
    title: 'Batches',
    none: 'No batches yet.',
    waiting: 'Reading the batches …',
    more: 'Show more',
    created: 'Created',
  },
  errors: {
    delayed: (seconds: number) =>
      `The service does not respond; trying again in ${count(seconds, 'second')}.`,
    throttled: (seconds: number) =>
      `Too many requests; trying again in ${count(seconds, 'second')}.`,
    key: 'The service no longer accepts the key. Reload the page and enter a valid one.',
    unknown: 'The page failed. Reload it; if it fails again, tell your operator.',
  },
} as const;
