import type { Batch } from '../../batch/batch.ts';
import type { JobModel } from '../job.ts';
import type { JobEntry } from '../job-requests.ts';

/** Well under the 255 bytes that file systems allow, with room for a folder and a browser's " (1)". */
const NAME_BYTES = 100;
/** A long name of the batch leaves room for that of the job. */
const BATCH_BYTES = 40;
const LONGEST_ENDING = '_1990-1993_999.tif';

/** The name of one raster. */
export type DownloadName = (index: number, model: JobModel | null) => string;

/**
 * The names under which the rasters of a batch are downloaded: batch, job, and the requested year or the period
 * of a static map. They are ASCII, and unique ignoring case, as the file systems of macOS and Windows require.
 * They depend on the request and the job's model, so they never change. Where two would be equal, both have the
 * index, which has fewer digits than the year of any result.
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
  const [sharesStem, sharesYear] = [sharedAmong(stems), sharedAmong(yearly)];
  return (index, model) => {
    const isStatic = model?.temporal === 'static';
    const name = isStatic ? `${stems[index]}_${formatPeriod(model)}` : yearly[index];
    // Jobs of different years may have one static map.
    const isShared = isStatic ? sharesStem(index) : sharesYear(index);
    return `${name}${isShared ? `_${index}` : ''}.tif`;
  };
}

/** `1990-1993`, or one year. */
function formatPeriod({ data_period }: JobModel): string {
  return [...new Set(data_period)].join('-');
}

/** Whether the text at an index occurs more than once, ignoring case. */
function sharedAmong(texts: readonly string[]): (index: number) => boolean {
  const keys = texts.map((text) => text.toLowerCase());
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return (index) => (counts.get(keys[index] ?? '') ?? 0) > 1;
}

/**
 * Letters without their accents; a hyphen for every other run of characters. Cut first, because NFKD
 * expands a character to up to 18 (U+FDFA).
 */
function toAscii(text: string): string {
  return text
    .slice(0, NAME_BYTES)
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '');
}

/** The last group of the UUID, which is random; the first is the time, equal for batches of one minute. */
function shortId(batchId: string): string {
  return batchId.slice(batchId.lastIndexOf('-') + 1);
}
