import type { Job } from '../schemas.ts';

/** File systems allow 255 bytes (`NAME_MAX`). */
const FILE_NAME_BYTES = 255;

/** The longest text after a name: that of a part, with the ETag of a multipart upload of S3's 10,000 parts. */
const LONGEST_ENDING = `_1990-1993-99999.tif.${'0'.repeat(32)}-10000.part`;

/** Devices of Windows, whatever follows the first dot: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.)/i;

/** What a raster is named after. */
type NamedJob = Pick<Job, 'name' | 'job_id' | 'year' | 'temporal' | 'data_period'>;

/**
 * `<name>_<year>.tif` of a job, a plain file name on every system; a static map has the period of its data, such as
 * `<name>_1990-1993.tif`. A job without a name has that of its id.
 */
export function fileNameOf({ name, job_id, year, temporal, data_period }: NamedJob): string {
  const period = temporal === 'static' ? data_period : null;
  return `${plainName(name ?? job_id)}_${[...new Set(period ?? [year])].join('-')}.tif`;
}

/** Makes names unique where file systems ignore case or the Unicode form: a repeated name gets the job's index. */
export function uniqueNames(nameOf: (job: Job) => string): (job: Job) => string {
  const taken = new Set<string>();
  return (job) => {
    let free = nameOf(job);
    while (taken.has(keyOf(free))) free = numbered(free, job.job_index);
    taken.add(keyOf(free));
    return free;
  };
}

/** The number before the ending: `field_2021-2.tif`. */
function numbered(name: string, number: number): string {
  return name.replace(/(\.\w+)?$/, `-${number}$1`);
}

/** File systems of macOS and Windows ignore case, that of macOS the Unicode form. */
function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** Letters and digits of any script; a hyphen for every run of other characters. */
export function plainName(name: string): string {
  const plain = name
    .normalize('NFC')
    .replace(/[^\p{Letter}\p{Mark}\p{Number}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .replace(RESERVED, '$1-');
  const short = shortened(plain, FILE_NAME_BYTES - LONGEST_ENDING.length);
  return short.replace(/[.-]+$/g, '') || 'field';
}

/** The start of a text in at most so many bytes of UTF-8, cut between characters. */
function shortened(text: string, bytes: number): string {
  const encoder = new TextEncoder();
  let kept = '';
  let length = 0;
  for (const character of text) {
    length += encoder.encode(character).length;
    if (length > bytes) break;
    kept += character;
  }
  return kept;
}
