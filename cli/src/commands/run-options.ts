import path from 'node:path';
import { InvalidArgumentError, Option } from 'commander';
import { epsgCode } from '../fields/rules/reference-systems.ts';

/** Options of the commands that read a file of fields. */
export interface FieldOptions {
  readonly year: readonly number[];
  readonly nameField?: string;
  readonly layer?: string;
  readonly crs?: number;
  readonly model?: string;
}

/** Options of the commands that start a run. */
export interface StartOptions extends FieldOptions {
  readonly out?: string;
  readonly yes?: boolean;
  readonly sameMaps?: boolean;
}

export const FIELD_OPTIONS: readonly Option[] = [
  new Option('--year <years>', 'year to predict, or several: 2021,2022')
    .argParser(yearsOf)
    .makeOptionMandatory(),
  new Option('--name-field <attribute>', 'attribute that names the fields and their files'),
  new Option('--layer <name>', 'layer of a file that has several'),
  new Option('--crs <code>', 'system of a file that names none, such as EPSG:28992').argParser(
    codeOf,
  ),
  new Option('--model <model>', 'model id, or id@version; by default the first that fits'),
];

/** For a job of cron: the exit code says the outcome. */
export const QUIET = new Option('--quiet', 'print nothing but errors').conflicts('json');

export const START_OPTIONS: readonly Option[] = [
  ...FIELD_OPTIONS,
  QUIET,
  new Option('--out <folder>', 'folder of the results; by default <file>_<years>'),
  new Option('--yes', 'start without asking'),
  new Option('--same-maps', 'submit years that give the same map, too'),
];

/** `fields_2021` for `fields.gpkg` and 2021, in the working folder. */
export function resultFolder(file: string, { out, year }: StartOptions, cwd: string): string {
  if (out !== undefined) return path.resolve(cwd, out);
  return path.resolve(cwd, [path.parse(file).name, ...year].join('_'));
}

function codeOf(text: string): number {
  const code = epsgCode(text);
  if (code === null) throw new InvalidArgumentError('Expected an EPSG code, such as EPSG:28992.');
  return code;
}

/** Years in the order given, each once. */
function yearsOf(text: string): readonly number[] {
  const years = text.split(',').map((part) => part.trim());
  if (!years.every((year) => /^\d{4}$/.test(year))) {
    throw new InvalidArgumentError('Expected a year of four digits, or several: 2021,2022.');
  }
  return [...new Set(years.map(Number))];
}
