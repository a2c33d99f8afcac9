import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { UsageError } from './operator/usage-error.ts';
import { covariatesAt } from './packs/covariates-at.ts';
import { openedPack } from './packs/opened-pack.ts';
import { runPackCommand, tableCell } from './packs/pack-command.ts';
import { readSampleTable } from './packs/sample-table.ts';

const HELP = `Usage: npm run --silent pack-sample -- <folder of a pack> <samples.csv> > training.csv

Adds a pack's covariates to a table of samples (columns lon and lat, WGS84), as a prediction at each
sample's cell gets them; empty where there is none. Reads the manifest and the covariates, no graph.

Exit code 1: something could not be read; 2: the command line is wrong.`;

/** `npm run pack-sample -- models/heath samples.csv` */
async function main(): Promise<void> {
  const { folder, file } = options();
  if (folder === undefined || file === undefined) return console.log(HELP);
  const pack = await openedPack(folder);
  const names = pack.manifest.covariates.map(({ name }) => name);
  const table = readSampleTable(readFileSync(file, 'utf8'));
  const twice = names.filter((name) => table.columns.includes(name));
  if (twice.length > 0) throw new Error(`${file} has columns of these names already: ${twice}`);
  const at = covariatesAt(pack);
  let complete = 0;
  console.log([table.header, ...names].join(','));
  for (const { line, place } of table.samples) {
    const values = (await at(place)) ?? names.map(() => Number.NaN);
    if (!values.some(Number.isNaN)) complete += 1;
    console.log([line, ...values.map(tableCell)].join(','));
  }
  console.error(`${complete} of ${table.samples.length} samples have all covariates`);
}

function options(): { readonly folder?: string | undefined; readonly file?: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (values.help === true) return {};
    const [folder, file, ...others] = positionals;
    if (folder === undefined || file === undefined || others.length > 0) {
      throw new Error('give the folder of a pack and a table of samples');
    }
    return { folder, file };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

runPackCommand('pack-sample', main);
