import { count } from '../numbers.ts';

export const PROGRESS = {
  title: 'Batch',
  label: 'Progress of the batch',
  percent: (percent: number, failed: number) =>
    failed === 0 ? `${percent} %` : `${percent} %, ${count(failed, 'job')} failed`,
  waiting: 'Reading the batch …',
  unnamed: (fields: number, created: string) => `${count(fields, 'field')}, ${created}`,
  id: 'Id',
  copyId: 'Copy the id',
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
  expires: (time: string) => `The results are kept until ${time}.`,
  details: 'Details',
  detailsOf: (name: string) => `Details of ${name}`,
  close: 'Close the details',
  closeShort: 'Close',
  cancel: 'Cancel the batch',
  cancelling: 'Cancelling …',
  cancelQuestion: (unfinished: number) =>
    `Cancel the batch? ${count(unfinished, 'unfinished job')} will fail. Finished jobs keep their results.`,
  keep: 'Keep it running',
} as const;
