import { BATCH } from './texts/batch.ts';
import { ERRORS } from './texts/errors.ts';
import { ESTIMATE } from './texts/estimate.ts';
import { FIELDS } from './texts/fields.ts';
import { FILE } from './texts/file.ts';
import { HISTORY } from './texts/history.ts';
import { JOB } from './texts/job.ts';
import { KEY } from './texts/key.ts';
import { PASTE } from './texts/paste.ts';
import { PROGRESS } from './texts/progress.ts';
import { RESULT } from './texts/result.ts';

/** Every text of the console; those of a page are in `texts`. */
export const TEXTS = {
  title: 'Soil Batch',
  pages: { fields: 'Fields', estimate: 'Estimate', history: 'Batches' },
  navigation: 'Pages',
  skip: 'Skip to the page',
  key: KEY,
  map: {
    label: 'Map. Arrow keys move it, plus and minus zoom.',
  },
  fields: FIELDS,
  file: FILE,
  paste: PASTE,
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
