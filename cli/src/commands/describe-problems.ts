import type { Job } from 'soil-batch-client';
import { count } from './numbers.ts';

/** Different errors and warnings that are listed for people; `--json` and the tables have all. */
const LISTED = 5;

/** Fields that are named for each error. */
const NAMED_FIELDS = 3;

/** A job of the run, as far as it is known why it fails. */
export interface Failure {
  readonly name: string | null;
  readonly year: number;
  readonly error_code: string | null;
  readonly error_message: string | null;
}

/**
 * Each error once, with the fields that it concerns: of many fields it often differs by numbers alone.
 * @param jobs all years of a field together, as in a run
 */
export function failureLines(what: string, jobs: readonly Failure[]): readonly string[] {
  const failing = jobs.filter(({ error_code }) => error_code !== null);
  if (failing.length === 0) return [];
  const errorOf = ({ error_code, error_message }: Failure) => `${error_code}: ${error_message}`;
  const errors = [...groupBy(failing, (job) => withoutNumbers(errorOf(job))).values()].sort(
    (a, b) => b.length - a.length,
  );
  return [
    `${count(failing.length, 'job')} ${what}:`,
    ...errors.slice(0, LISTED).flatMap((of) => {
      return [`  ${firstOf(of.map(errorOf))}`, `    ${fieldsOf(of)}`];
    }),
    ...moreThanListed(errors.length, 'error'),
  ];
}

function withoutNumbers(text: string): string {
  return text.replace(/\d+(\.\d+)?/g, '#');
}

/** The text of the first job, which the others may have with other numbers. */
function firstOf([first = '', ...others]: readonly string[]): string {
  return others.every((other) => other === first) ? first : `${first} (others with other numbers)`;
}

/** The first fields by name, each with its years, and how many jobs others have. */
function fieldsOf(jobs: readonly Pick<Failure, 'name' | 'year'>[]): string {
  const fields: { readonly name: string | null; readonly years: number[] }[] = [];
  for (const { name, year } of jobs) {
    const last = fields.at(-1);
    // Another field of the same name has a year again.
    if (last?.name === name && !last.years.includes(year)) last.years.push(year);
    else fields.push({ name, years: [year] });
  }
  const named = fields
    .slice(0, NAMED_FIELDS)
    .map(({ name, years }) => `${name} (${years.join(', ')})`);
  const others = fields.slice(NAMED_FIELDS).flatMap(({ years }) => years).length;
  return [...named, ...(others > 0 ? [`${count(others, 'more job')}`] : [])].join(', ');
}

function moreThanListed(found: number, what: string): readonly string[] {
  return found > LISTED ? [`  and ${count(found - LISTED, `more ${what}`)}`] : [];
}

/**
 * Each kind of warning once, with the fields that it concerns if these are not all.
 * @param told warnings that the command has shown; those of this call are added
 */
export function warningLines(
  jobs: readonly Pick<Job, 'name' | 'warnings' | 'year'>[],
  told: Set<string>,
): readonly string[] {
  const all = jobs.flatMap((job) =>
    job.warnings.map(({ code, message }) => ({ code, message, job })),
  );
  const kinds = [...groupBy(all, ({ code }) => code).values()];
  const warned = jobs.filter(({ warnings }) => warnings.length > 0).length;
  const blocks = kinds.map((of): readonly [string, ...string[]] => {
    const text = firstOf(of.map(({ message }) => message));
    const fields = of.length < warned ? [`  ${fieldsOf(of.map(({ job }) => job))}`] : [];
    return [`Warning for ${count(of.length, 'job')}: ${text}`, ...fields];
  });
  const fresh = blocks.filter(([warning]) => !told.has(warning));
  for (const [warning] of fresh) told.add(warning);
  return [...fresh.slice(0, LISTED).flat(), ...moreThanListed(fresh.length, 'warning')];
}

/** `Map.groupBy`, which Node 20 lacks. */
function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string) {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
