import type { Job } from '../schemas.ts';

const LONGEST_NAME = 100;

/** `<name>_<year>.tif` of a job, with only characters that every file system allows. */
export function fileNameOf({ name, job_id, year }: Job): string {
  return `${safe(name ?? job_id)}_${year}.tif`;
}

function safe(text: string): string {
  const plain = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '_')
    .replace(/^[._]+|[._]+$/g, '');
  return [...plain].slice(0, LONGEST_NAME).join('') || 'job';
}

/** Names that are unique in a file system that ignores case: a repeated one gets the job's index. */
export function uniqueNames(nameOf: (job: Job) => string): (job: Job) => string {
  const taken = new Set<string>();
  return (job) => {
    const name = nameOf(job);
    const free = taken.has(name.toLowerCase())
      ? name.replace(/(\.\w+)?$/, `_${job.job_index}$1`)
      : name;
    taken.add(free.toLowerCase());
    return free;
  };
}
