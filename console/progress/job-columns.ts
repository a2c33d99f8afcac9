import type { Job } from 'soil-batch-client';
import { formatUnit } from '#engine/display/unit-text.ts';
import { stockPerHectareText } from '../model-text.ts';
import { formatRounded } from '../numbers.ts';
import { TEXTS } from '../texts.ts';

export interface JobColumn {
  readonly title: string;
  /** Null for a job without a value, which comes last in either order. */
  readonly keyOf: (job: Job) => string | number | null;
  /** The text of a cell; the table itself builds the cells of a column without this function. */
  readonly textOf?: (job: Job) => string;
  readonly isWide?: boolean;
}

const STATES: readonly Job['status'][] = ['failed', 'processing', 'pending', 'completed'];

export const JOB_COLUMNS: readonly JobColumn[] = [
  { title: TEXTS.fields.name, keyOf: nameOf },
  { title: TEXTS.progress.state, keyOf: ({ status }) => STATES.indexOf(status), isWide: true },
  { title: TEXTS.progress.value, keyOf: ({ summary }) => summary?.mean ?? null, textOf: meanText },
  { title: TEXTS.progress.interval, keyOf: widthOf, textOf: intervalText, isWide: true },
  {
    title: TEXTS.progress.stock,
    keyOf: ({ summary }) => summary?.stock?.value ?? null,
    textOf: stockText,
    isWide: true,
  },
  {
    title: TEXTS.progress.stockPerHectare,
    keyOf: ({ summary }) => summary?.stock_per_ha ?? null,
    textOf: ({ summary }) => (summary === null ? '' : (stockPerHectareText(summary) ?? '')),
  },
];

export interface JobOrder {
  readonly column: JobColumn;
  readonly descending: boolean;
}

/**
 * Finds the jobs with the text in their name, state or error, and sorts them; a null order keeps the order of
 * the request.
 */
export function chooseJobs(
  jobs: readonly Job[],
  text: string,
  order: JobOrder | null,
): readonly Job[] {
  const wanted = text.trim().toLowerCase();
  const found = jobs.filter((job) => searchTextOf(job).includes(wanted));
  if (order === null) return found;
  const { keyOf } = order.column;
  const turn = order.descending ? -1 : 1;
  return found.toSorted((a, b) => compare(keyOf(a), keyOf(b), turn));
}

function searchTextOf(job: Job): string {
  const state = TEXTS.progress.jobStates[job.status];
  return [nameOf(job), state, job.error_message].join('\n').toLowerCase();
}

const COLLATOR = new Intl.Collator(undefined, { numeric: true });

function compare(a: string | number | null, b: string | number | null, turn: 1 | -1): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (typeof a === 'number' && typeof b === 'number') return turn * (a - b);
  return turn * COLLATOR.compare(String(a), String(b));
}

export function nameOf({ name, job_index: index }: Pick<Job, 'name' | 'job_index'>): string {
  return name ?? TEXTS.progress.job(index);
}

function widthOf({ summary }: Job): number | null {
  if (summary === null || summary.lower === null || summary.upper === null) return null;
  return summary.upper - summary.lower;
}

function meanText({ summary }: Job): string {
  return summary === null ? '' : `${formatRounded(summary.mean)} ${formatUnit(summary.unit)}`;
}

function intervalText({ summary }: Job): string {
  if (summary === null || summary.lower === null || summary.upper === null) return '';
  return `${formatRounded(summary.lower)} – ${formatRounded(summary.upper)}`;
}

/** The table has no room for the substance, which the details and the total name. */
function stockText({ summary }: Job): string {
  const stock = summary?.stock ?? null;
  return stock === null ? '' : `${formatRounded(stock.value)} ${stock.unit}`;
}
