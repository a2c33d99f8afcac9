import type { Job } from '../schemas.ts';

/** File systems allow 255 bytes; the name of an unfinished file has the ETag too. */
const LONGEST_NAME_BYTES = 150;

/** Devices of Windows, whatever follows the first dot: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.)/i;

/** `<name>_<year>.tif` of a job, with only characters that every file system allows. */
export function fileNameOf({ name, job_id, year }: Job): string {
  return `${safe(name ?? job_id)}_${year}.tif`;
}

function safe(text: string): string {
  const plain = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '_')
    .replace(/^[._]+|[._]+$/g, '')
    .replace(RESERVED, '$1_');
  return shortened(plain) || 'job';
}

function shortened(text: string): string {
  let bytes = 0;
  let short = '';
  for (const character of text) {
    bytes += new TextEncoder().encode(character).length;
    if (bytes > LONGEST_NAME_BYTES) break;
    short += character;
  }
  return short;
}

/** Names that are unique in a file system that ignores case: a repeated one gets the job's index. */
export function uniqueNames(nameOf: (job: Job) => string): (job: Job) => string {
  const taken = new Set<string>();
  return (job) => {
    let free = nameOf(job);
    while (taken.has(free.toLowerCase())) free = free.replace(/(\.\w+)?$/, `_${job.job_index}$1`);
    taken.add(free.toLowerCase());
    return free;
  };
}
