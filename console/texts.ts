import { formatCount, formatTime, formatWhole } from './numbers.ts';
import { FIELDS, FILE, GO_TO, PASTE } from './texts/fields.ts';
import { BATCH, JOB, PROGRESS } from './texts/progress.ts';
import { RESULT } from './texts/result.ts';

const KEY = {
  title: 'API key',
  explanation: {
    kept: 'Enter your API key. This tab keeps it, with your fields, until you sign out or close the tab. A restored or duplicated tab still has both.',
    notKept:
      'Enter your API key. It stays in this page’s memory, and a reload asks for it again. This tab keeps your fields until you sign out or close the tab. A restored or duplicated tab still has them.',
  },
  label: 'API key',
  enter: 'Open the console',
  checking: 'Checking the key …',
  refused:
    'The key is unknown to the service, has expired or was revoked. Check that you copied all of it, or ask your operator for another.',
  disabled:
    'The service denies access: the tenant of this key is disabled, or requests from your network are not allowed. Ask your operator.',
  newTitle: 'Enter another key',
  newExplanation:
    'The service no longer accepts your key: it has expired or was revoked. The fields of this page are kept.',
  newEnter: 'Continue',
  later: 'Not now',
  signOut: 'Sign out',
  signOutQuestion: (fields: number) =>
    `Sign out? ${formatCount(fields, 'unsubmitted field')} will be removed from this tab.`,
  staySignedIn: 'Stay signed in',
  licences: 'Licenses of the software in this console',
} as const;

const ESTIMATE = {
  title: 'Estimate',
  waiting: 'Estimating …',
  back: 'Back to the fields',
  submitted: 'You have already submitted these fields.',
  open: 'Open the batch',
  area: 'Area',
  cost: 'Cost on AWS',
  time: 'Time',
  quota: 'Today’s quota',
  jobs: 'Jobs',
  batchName: 'Batch',
  model: 'Model',
  year: 'Year',
  quotaParts: {
    usedBefore: (used: string) => `${used} used before`,
    wanted: (wanted: string) => `${wanted} for this batch`,
    left: (left: string) => `${left} left`,
  },
  exceeds: (missing: string) => `${missing} over the quota`,
  warnings: 'Warnings',
  smallerThanCell:
    'The polygon, or a part of it, is smaller than a cell or contains no cell centre. Where it contains none, every cell that it touches is predicted.',
  noneFail: 'No field is expected to fail.',
  unseen: 'A field also fails if the model has no data in it; an estimate cannot predict this.',
  fail: (failing: number) => `${formatCount(failing, 'field')} will fail`,
  others: (fields: number) => ` and ${formatWhole(fields)} more`,
  submit: (fields: number) => `Submit ${formatCount(fields, 'field')}`,
  overQuota: (resets: Date) =>
    `The batch exceeds the rest of today’s quota. The quota resets at ${formatTime(resets)}.`,
  allFail: 'Every field would fail; correct at least one.',
} as const;

const HISTORY = {
  title: 'Batches',
  none: 'No batches.',
  waiting: 'Loading the batches …',
  more: 'Show more',
  created: 'Created',
  filter: 'Filter',
  status: 'State',
  anyStatus: 'Any',
  statuses: {
    pending: 'Waiting to start',
    processing: 'Running',
    completed: 'Completed',
    failed: 'Failed',
    partial: 'Some jobs failed',
  },
  name: 'Name contains',
  from: 'Created from',
  until: 'Created until',
  open: 'Open',
  openLabel: 'ID or URL of a batch or job',
  noId: 'This contains no ID. Enter one such as 0b7c6a52-5a0f-4b5e-9d8c-2f1f6f6f3a11.',
} as const;

const ERRORS = {
  delayed: (seconds: number) =>
    `The service is unavailable; trying again in ${formatCount(seconds, 'second')}.`,
  disconnected: (seconds: number) =>
    `No connection to the service; trying again in ${formatCount(seconds, 'second')}.`,
  throttled: (seconds: number) =>
    `Too many requests; trying again in ${formatCount(seconds, 'second')}.`,
  again: 'Try again',
  network: 'There is no connection to the service.',
  otherServer:
    'The response did not come from the service. A proxy or a network sign-in page may have sent it.',
  noBatch: (days: number) =>
    `Your tenant has no batch with this ID. A batch and its results expire ${formatCount(days, 'day')} after the batch is submitted.`,
  expired: (days: number) =>
    `The batch has expired. Batches and their results are kept for ${formatCount(days, 'day')}. Submit the fields again to get new results.`,
  key: 'The service no longer accepts the key.',
  notLoaded: 'Page not loaded',
  unknown: 'The page failed. Reload it; if it fails again, tell your operator.',
} as const;

/** The texts of the console; those of the largest pages are in `texts`. */
export const TEXTS = {
  title: 'Soil Batch',
  pages: { fields: 'Fields', estimate: 'Estimate', history: 'Batches' },
  navigation: 'Pages',
  skip: 'Skip to the content',
  key: KEY,
  map: {
    label: 'Map. Arrow keys move it, plus and minus zoom.',
    background: 'Background',
    noBackground: 'None',
    backgroundLearns: 'The server of a background map learns which region you are viewing.',
    backgroundFails: (name: string) =>
      `${name} does not respond, so parts of the background map are missing.`,
  },
  fields: FIELDS,
  file: FILE,
  paste: PASTE,
  goTo: GO_TO,
  unknown: 'unknown',
  copy: {
    copy: 'Copy',
    copied: 'Copied.',
    selected: 'Selected; copy it with the keyboard.',
  },
  estimate: ESTIMATE,
  progress: PROGRESS,
  job: JOB,
  batch: BATCH,
  result: RESULT,
  history: HISTORY,
  errors: ERRORS,
} as const;
