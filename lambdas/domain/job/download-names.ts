import type { Batch } from '../batch/batch.ts';
import type { JobEntry } from './job-requests.ts';

/** Well under the 255 bytes that file systems allow, with room for a folder and a browser's " (1)". */
const NAME_BYTES = 100;
/** A long name of the batch leaves room for that of the job. */
const BATCH_BYTES = 40;
const EXTENSION = '.tif';

/**
 * The names under which the rasters of a batch are downloaded, by job index: ASCII, and unique ignoring
 * case, as the file systems of macOS and Windows require. They depend on the request alone, so they
 * never change.
 */
export function downloadNames(
  batch: Pick<Batch, 'batchId' | 'name'>,
  entries: readonly JobEntry[],
): readonly string[] {
  const prefix = asciiOf(batch.name ?? '') || shortId(batch.batchId);
  const plain = entries.map(({ name, year }) => fileName(prefix, name, `_${year}`));
  const numbered = entries.map(({ name, year }, index) =>
    fileName(prefix, name, `_${year}_${index}`),
  );
  const ambiguous = new Set<number>();
  const nameAt = (index: number) => (ambiguous.has(index) ? numbered[index] : plain[index]) ?? '';
  // A numbered name may equal another's plain name, which is then numbered too. Numbered names differ,
  // because each ends with its own index.
  for (let found = true; found; ) {
    const seen = new Map<string, number>();
    found = false;
    for (const index of entries.keys()) {
      const key = nameAt(index).toLowerCase();
      const other = seen.get(key);
      seen.set(key, index);
      if (other === undefined) continue;
      for (const each of [index, other]) {
        found ||= !ambiguous.has(each);
        ambiguous.add(each);
      }
    }
  }
  return entries.map((_, index) => nameAt(index));
}

function fileName(prefix: string, jobName: string | null, suffix: string): string {
  const end = `${suffix}${EXTENSION}`;
  const batch = prefix.slice(0, BATCH_BYTES);
  const job = asciiOf(jobName ?? '').slice(0, NAME_BYTES - batch.length - 1 - end.length);
  return `${[batch, job].filter((part) => part !== '').join('_')}${end}`;
}

/** Letters without their accents; a hyphen for every other run of characters. */
function asciiOf(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[.-]+|[.-]+$/g, '');
}

/** The last group of the UUID, which is random; the first is the time, equal for batches of one minute. */
function shortId(batchId: string): string {
  return batchId.slice(batchId.lastIndexOf('-') + 1);
}
