import { count, timeText } from '../numbers.ts';

export const ESTIMATE = {
  title: 'Estimate',
  waiting: 'Estimating …',
  back: 'Back to the fields',
  submitted: 'You have already submitted these fields.',
  open: 'Open their batch',
  area: 'Area',
  cost: 'Cost on AWS',
  time: 'Time',
  quota: 'Quota of today',
  jobs: 'Jobs',
  batchName: 'Batch',
  year: 'Year',
  fits: (wanted: string, remaining: string) => `Uses ${wanted} of the ${remaining} left today.`,
  exceeds: (wanted: string, remaining: string) => `Needs ${wanted}; ${remaining} left today.`,
  warnings: 'Warnings',
  smallerThanCell:
    'The polygon, or a part of it, covers no centre of a cell; the raster holds the cells that it touches.',
  noneFail: 'No field will fail.',
  fail: (failing: number) => `${count(failing, 'field')} will fail`,
  submit: (fields: number) => `Submit ${count(fields, 'field')}`,
  overQuota: (resets: Date) =>
    `The batch does not fit into what is left of the quota. It is full again at ${timeText(resets)}.`,
  allFail: 'Every field would fail; correct at least one.',
} as const;
