/** What a job's raster is named after. */
export interface NamedJob {
  readonly name: string;
  readonly year: number;
}

/** File systems allow 255 bytes, and a download adds an ending for its part. */
const NAME_BYTES = 200;

/** Devices of Windows, whatever follows the first dot: https://learn.microsoft.com/windows/win32/fileio/naming-a-file */
const RESERVED = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.)/i;

/**
 * `<name>_<year>.tif` for each job: a plain file name on every system, unique ignoring case and Unicode
 * form. A repeated name gets a number. The same jobs give the same names.
 */
export function fileNames(jobs: readonly NamedJob[]): readonly string[] {
  const stems = jobs.map(({ name, year }) => `${safeName(name)}_${year}`);
  const taken = new Set<string>();
  // The first job of a name keeps it, so that a number never takes a name that another job has.
  const isFirst = stems.map((stem) => {
    const key = keyOf(stem);
    if (taken.has(key)) return false;
    taken.add(key);
    return true;
  });
  return stems.map((stem, index) => {
    if (isFirst[index] === true) return `${stem}.tif`;
    let number = 2;
    while (taken.has(keyOf(`${stem}-${number}`))) number++;
    taken.add(keyOf(`${stem}-${number}`));
    return `${stem}-${number}.tif`;
  });
}

/** File systems of macOS and Windows ignore case, that of macOS the Unicode form. */
function keyOf(stem: string): string {
  return stem.normalize('NFC').toLowerCase();
}

/** Letters and digits of any script; a hyphen for every run of other characters. */
function safeName(name: string): string {
  const safe = name
    .normalize('NFC')
    .replace(/[^\p{Letter}\p{Mark}\p{Number}._-]+/gu, '-')
    .replace(/^[.-]+|[.-]+$/g, '')
    .replace(RESERVED, '$1-');
  return truncated(safe, NAME_BYTES).replace(/[.-]+$/g, '') || 'field';
}

/** At most so many bytes of UTF-8, without half a character. */
function truncated(text: string, bytes: number): string {
  let kept = '';
  let length = 0;
  for (const character of text) {
    length += Buffer.byteLength(character);
    if (length > bytes) break;
    kept += character;
  }
  return kept;
}
