import type { Batch } from '../../batch/batch.ts';
import type { JobModel } from '../job.ts';
import type { JobEntry } from '../job-requests.ts';

/** Well below the 255 bytes that file systems allow, with room for a folder and a browser's " (1)". */
const NAME_BYTES = 100;
/** A longer batch name is cut, to leave room for the job's name. */
const BATCH_BYTES = 40;
const LONGEST_ENDING = '_1990-1993_999.tif';

export type DownloadName = (index: number, model: JobModel | null) => string;

/**
 * Returns the names under which a batch's rasters are downloaded: batch, job, and the requested year or a static map's
 * period. They are ASCII, and unique ignoring case, as the file systems of macOS and Windows require. They never
 * change, because they depend only on the request and the job's model. Names that would otherwise be equal end with the
 * job's index, which cannot be mistaken for a year because it has fewer digits.
 */
export function downloadNames(
  batch: Pick<Batch, 'batch_id' | 'name'>,
  entries: readonly JobEntry[],
): DownloadName {
  const prefix = (toAscii(batch.name ?? '') || shortId(batch.batch_id)).slice(0, BATCH_BYTES);
  const room = NAME_BYTES - prefix.length - 1 - LONGEST_ENDING.length;
  const stems = entries.map(({ name }) => {
    const job = toAscii(name ?? '').slice(0, room);
    return job === '' ? prefix : `${prefix}_${job}`;
  });
  const yearly = entries.map(({ year }, index) => `${stems[index]}_${year}`);
  const [sharesStem, sharesYear] = [findShared(stems), findShared(yearly)];
  return (index, model) => {
    const isStatic = model?.temporal === 'static';
    const name = isStatic ? `${stems[index]}_${formatPeriod(model)}` : yearly[index];
    // Jobs of different years may share a static map.
    const isShared = isStatic ? sharesStem(index) : sharesYear(index);
    return `${name}${isShared ? `_${index}` : ''}.tif`;
  };
}

/** As in `1990-1993`, or a single year. */
function formatPeriod({ data_period }: JobModel): string {
  return [...new Set(data_period)].join('-');
}

/** Returns a predicate for whether the text at an index occurs more than once, ignoring case. */
function findShared(texts: readonly string[]): (index: number) => boolean {
  const keys = texts.map((text) => text.toLowerCase());
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (index) => (counts.get(keys[index] ?? '') ?? 0) > 1;
}

/**
 * Removes accents, replaces each run of characters except A-Z, a-z, 0-9, dot, underscore and hyphen with a hyphen, and
 * removes dots and hyphens at both ends. The text is cut first, because NFKD expands a character to up to 18 (U+FDFA).
 */
function toAscii(text: string): string {
  return text
    .slice(0, NAME_BYTES)
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '');
}

/**
 * Returns the last group of the UUID: it is random, whereas batches created within a minute share the first group, which
 * is the time.
 */
function shortId(batchId: string): string {
  return batchId.slice(batchId.lastIndexOf('-') + 1);
}
