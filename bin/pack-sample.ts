import { readFileSync } from 'node:fs';
import type { Pack } from '#engine/model/pack/pack.ts';
import { findMeanBand } from '#engine/model/pack/summarised-bands.ts';
import { CommandError, runCommand } from './operator/command.ts';
import { parseOptions } from './operator/command-line.ts';
import { covariatesAt, swapHint } from './packs/covariates-at.ts';
import { implausibleBands } from './packs/implausible-bands.ts';
import { mapOfYear, yearOf } from './packs/map-of-year.ts';
import { medianStock } from './packs/median-stock.ts';
import { packWarnings } from './packs/pack-warnings.ts';
import {
  predictionCells,
  predictionHeader,
  predictionsAt,
  withMeasurements,
} from './packs/predicted-samples.ts';
import { openedPack } from './packs/remote-sources.ts';
import { sampleWarnings, trainedCells } from './packs/sample-remarks.ts';
import { columnAt, readSampleTable, type SampleTable, tableCell } from './packs/sample-table.ts';

const HELP = `Usage: npm run --silent pack-sample -- <folder of a pack> <samples.csv> [options] > training.csv

Adds a pack's covariates to a table of samples (columns lon and lat, WGS84), with the values that a
prediction of the sample's cell uses; empty where missing. Reads the manifest and the covariates, but
no graph. A pack with several periods needs --year: sample each period with the samples of its years.

  --year <year>           of the map
  --predictions <column>  adds the centre of the cell and the predicted bands instead, and checks them and
                          the measured values of this column; pack-validate compares both
  --training <csv>        with --predictions: adds whether a sample of the training lies in the cell

Exit code 1: no sample has all covariates, or a file could not be read; 2: the command line is invalid.`;

/** `npm run pack-sample -- models/heath samples.csv` */
async function main(): Promise<void> {
  const options = optionsOf();
  if (options === null) return console.log(HELP);
  const { folder, file, year, target, training } = options;
  const pack = mapOfYear(await openedPack(folder), year);
  const table = readSampleTable(readFileSync(file, 'utf8'));
  if (target === null) await printCovariates(pack, file, table);
  else await printPredictions(pack, table, target, training);
}

async function printCovariates(pack: Pack, file: string, table: SampleTable): Promise<void> {
  const names = pack.manifest.covariates.map(({ name }) => name);
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

/** Remarks on stderr: `wrong:` is what no right pack predicts. */
async function printPredictions(
  pack: Pack,
  table: SampleTable,
  target: string,
  training: string | null,
): Promise<void> {
  const targetAt = columnAt(table, target);
  for (const line of await packWarnings(pack)) console.error(`warning: ${line}`);
  const positions = table.samples.map(({ position }) => position);
  const predictions = await predictionsAt(pack, positions);
  const samples = withMeasurements(table, targetAt, predictions);
  for (const line of sampleWarnings(pack.manifest, samples)) console.error(`warning: ${line}`);
  const observed = samples.map((sample) => sample.observed);
  const means = samples.map(({ bands }) => bands[findMeanBand(pack.manifest)]);
  for (const line of [
    ...medianStock(pack.manifest, 'the median sample', observed),
    ...medianStock(pack.manifest, "the samples' median cell", means),
  ]) {
    console.error(line);
  }
  const hint = swapHint(pack, positions);
  if (hint !== '') throw new CommandError(`no sample lies on the grid${hint}`, 1);
  for (const line of implausibleBands(pack.manifest, samples, 'samples')) {
    console.error(`wrong: ${line}`);
  }
  const isTrained = training === null ? null : trainedCells(pack, readFileSync(training, 'utf8'));
  const trainedHeader = isTrained === null ? [] : ['in_training'];
  console.log([table.header, ...predictionHeader(pack), ...trainedHeader].join(','));
  for (const [i, prediction] of predictions.entries()) {
    const trained = isTrained === null ? [] : [isTrained(prediction.cell) ? '1' : '0'];
    const cells = [...predictionCells(pack, prediction), ...trained];
    console.log([table.samples[i]?.line, ...cells].join(','));
  }
}

interface Options {
  readonly folder: string;
  readonly file: string;
  readonly year: number | null;
  /** The column with the measured values; null to sample covariates. */
  readonly target: string | null;
  readonly training: string | null;
}

/** The arguments, or null if the command line asks for `--help`. */
function optionsOf(): Options | null {
  const { values, positionals } = parseOptions({
    options: {
      year: { type: 'string' },
      predictions: { type: 'string' },
      training: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  const year = yearOf(values.year);
  if (values.help === true) return null;
  const [folder, file, ...others] = positionals;
  if (folder === undefined || file === undefined || others.length > 0) {
    throw new CommandError('expected two arguments: the folder of a pack and a table of samples');
  }
  const { predictions: target = null, training = null } = values;
  return { folder, file, year, target, training };
}

await runCommand('pack-sample', main);
