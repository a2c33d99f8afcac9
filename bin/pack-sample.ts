import { readFileSync } from 'node:fs';
import { parseOptions } from './operator/arguments.ts';
import { CommandError, runCommand } from './operator/command.ts';
import { covariatesAt, swapHint } from './packs/covariates-at.ts';
import { mapOfYear, yearOf } from './packs/map-of-year.ts';
import { openedPack } from './packs/remote-sources.ts';
import { readSampleTable, tableCell } from './packs/sample-table.ts';

const HELP = `Usage: npm run --silent pack-sample -- <folder of a pack> <samples.csv> [--year 2020] > training.csv

Adds a pack's covariates to a table of samples (columns lon and lat, WGS84), with the values that a
prediction of the sample's cell uses; empty where missing. Reads the manifest and the covariates, but
no graph. A pack with several periods needs --year: sample each period with the samples of its years.

Exit code 1: no sample has all covariates, or a file could not be read; 2: the command line is invalid.`;

/** `npm run pack-sample -- models/heath samples.csv` */
async function main(): Promise<void> {
  const { folder, file, year } = options();
  if (folder === undefined || file === undefined) return console.log(HELP);
  const pack = mapOfYear(await openedPack(folder), year);
  const names = pack.manifest.covariates.map(({ name }) => name);
  const table = readSampleTable(readFileSync(file, 'utf8'));
  const existing = names.filter((name) => table.columns.includes(name));
  if (existing.length > 0)
    throw new CommandError(`${file} already has columns with these names: ${existing}`, 1);
  const at = covariatesAt(pack);
  let [complete, outside] = [0, 0];
  console.log([table.header, ...names].join(','));
  for (const { line, position } of table.samples) {
    const found = await at(position);
    if (found === null) outside += 1;
    const values = found ?? names.map(() => Number.NaN);
    if (!values.some(Number.isNaN)) complete += 1;
    console.log([line, ...values.map(tableCell)].join(','));
  }
  if (complete === 0) {
    const positions = table.samples.map(({ position }) => position);
    throw new CommandError(
      `none of the ${positions.length} samples has all covariates: ${outside} lie outside the grid${swapHint(pack, positions)}`,
      1,
    );
  }
  console.error(`${complete} of ${table.samples.length} samples have all covariates`);
}

function options(): {
  readonly folder?: string | undefined;
  readonly file?: string | undefined;
  readonly year: number | null;
} {
  const { values, positionals } = parseOptions({
    options: { year: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  const year = yearOf(values.year);
  if (values.help === true) return { year };
  const [folder, file, ...others] = positionals;
  if (folder === undefined || file === undefined || others.length > 0) {
    throw new CommandError('expected two arguments: the folder of a pack and a table of samples');
  }
  return { folder, file, year };
}

await runCommand('pack-sample', main);
