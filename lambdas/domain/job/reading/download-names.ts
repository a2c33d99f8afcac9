import type { Batch } from '../../batch/batch.ts';
import type { JobEntry } from '../job-requests.ts';

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
  const jobs = entries.map(({ name, year }) => ({ name: asciiOf(name ?? ''), year }));
  const plain = jobs.map(({ name, year }) => fileName(prefix, name, `_${year}`));
  const numberedAt = (index: number) =>
    fileName(prefix, jobs[index]?.name ?? '', `_${jobs[index]?.year}_${index}`);
  const ambiguous = ambiguousAmong(plain, numberedAt);
  return plain.map((name, index) => (ambiguous.has(index) ? numberedAt(index) : name));
}

/**
 * The indexes that need a number: those with equal names, and those whose name equals the numbered name
 * of another. Numbered names differ, because each ends with its own index.
 */
function ambiguousAmong(
  plain: readonly string[],
  numberedAt: (index: number) => string,
): ReadonlySet<number> {
  const byKey = new Map<string, number[]>();
  for (const [index, name] of plain.entries()) {
    const key = name.toLowerCase();
    const equal = byKey.get(key);
    if (equal === undefined) byKey.set(key, [index]);
    else equal.push(index);
  }
  const ambiguous = new Set([...byKey.values()].filter(({ length }) => length > 1).flat());
  // A set visits what is added to it meanwhile.
  for (const index of ambiguous) {
    for (const other of byKey.get(numberedAt(index).toLowerCase()) ?? []) ambiguous.add(other);
  }
  return ambiguous;
}

function fileName(prefix: string, jobName: string, suffix: string): string {
  const end = `${suffix}${EXTENSION}`;
  const batch = prefix.slice(0, BATCH_BYTES);
  const job = jobName.slice(0, NAME_BYTES - batch.length - 1 - end.length);
  return `${[batch, job].filter((part) => part !== '').join('_')}${end}`;
}

/**
 * Letters without their accents; a hyphen for every other run of characters. Cut first, because NFKD
 * expands a character to up to 18 (U+FDFA).
 */
function asciiOf(text: string): string {
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
