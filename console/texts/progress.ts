import { formatCount, formatWhole } from '../numbers.ts';

export const PROGRESS = {
  title: 'Batch',
  label: 'Batch progress',
  percent: (percent: number, failed: number) =>
    failed === 0 ? `${percent} %` : `${percent} %, ${formatCount(failed, 'job')} failed`,
  waiting: 'Loading the batch …',
  unnamed: (fields: number, created: string) => `${formatCount(fields, 'field')}, ${created}`,
  id: 'ID',
  copyId: 'Copy the ID',
  jobs: 'Jobs',
  state: 'State',
  value: 'Mean',
  interval: 'Interval',
  stock: 'Stock',
  stockPerHectare: 'Stock per ha',
  search: 'Search by name, state or error',
  found: (found: number, all: number) =>
    `${formatWhole(found)} of ${formatCount(all, 'field')} found.`,
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
    `${formatWhole(completed)} of ${formatCount(total, 'job')} completed, ${formatWhole(failed)} failed.`,
  left: (time: string) => `About ${time} left.`,
  expires: (time: string) => `The results are kept until ${time}.`,
  details: 'Details',
  detailsOf: (name: string) => `Details of ${name}`,
  close: 'Close the details',
  closeShort: 'Close',
  cancel: 'Cancel the batch',
  cancelling: 'Cancelling …',
  cancelQuestion: (unfinished: number) =>
    `Cancel the batch? ${formatCount(unfinished, 'unfinished job')} will fail. Finished jobs keep their results.`,
  keep: 'Keep it running',
} as const;

export const JOB = {
  waiting: 'Loading the job …',
  result: 'Show the result on the map',
  year: 'Year',
  model: 'Model',
  data: 'Years of the data',
  cells: 'Cells',
  cellsOf: (predicted: string, all: string) => `${predicted} of ${all} have a value`,
  outside: 'Outside the training data',
  outsideShare: (percent: string) => `${percent} % of the cells with a value`,
  patchBatches: 'Patch-batches',
  bucket: 'In your bucket',
  bucketPending: (uri: string) => `${uri} (not copied yet)`,
  patchBatchesOf: (completed: number, all: number) =>
    `${formatWhole(completed)} of ${formatWhole(all)} completed`,
  patchBatch: 'Patch-batch',
  time: 'Time',
  milliseconds: (time: string) => `${time} ms`,
  properties: 'Properties',
  unplanned: 'not planned yet',
  more: 'Show more patch-batches',
} as const;

export const BATCH = {
  total: 'All fields together',
  totalArea: (area: string, fields: string, valued: string | null) =>
    `${area} in ${fields}${valued === null ? '' : `, ${valued} of it with values`}`,
  leftOut: (jobs: string, area: string | null) =>
    `Left out: ${jobs}${area === null ? '' : ` (${area})`}.`,
  outside: (fields: string, percent: string) => `in part: ${fields} with ${percent} % of the area`,
  withInterval: (value: string, level: number, low: string, high: string) =>
    `${value} (${level} % interval ${low} to ${high})`,
  values: 'Values on the map',
  unreadable: (rasters: number) =>
    `${formatCount(rasters, 'raster')} could not be read; the map shows only the ${rasters === 1 ? 'mean of its field' : 'means of their fields'}.`,
  files: 'Download',
  geojson: 'Table as GeoJSON',
  csv: 'Table as CSV',
  allRasters: 'All rasters as ZIP',
  received: (received: string, total: string) => `${received} of ${total} received …`,
  tooMany: (total: string, most: string) =>
    `The rasters take ${total}; this page packs at most ${most}. Download them one by one, or with the soil-batch command.`,
  retry: (failed: number) => `Retry ${formatCount(failed, 'failed job')}`,
  useAgain: 'Use these fields again',
  readingFields: 'Loading the fields …',
  replaceQuestion: (fields: number) =>
    `Replace ${formatCount(fields, 'unsubmitted field')} on the fields page?`,
  replace: 'Replace them',
  deliveries: 'Webhook deliveries',
  noWebhook: 'This batch has no webhook.',
  redeliver: 'Deliver again',
  started: 'Time',
  outcome: 'Outcome',
  duration: 'Duration',
  next: (time: string) => `The next attempt is due at ${time}.`,
  states: {
    due: 'Not delivered yet.',
    acknowledged: 'Delivered.',
    permanent: 'Not delivered: the last attempt failed permanently.',
    exhausted: 'Not delivered: all retries failed.',
  },
  outcomes: {
    acknowledged: 'delivered',
    permanent: 'failed permanently',
    retry: 'failed',
  },
} as const;
