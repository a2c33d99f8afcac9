import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Pack } from '#engine/model/pack/pack.ts';
import { parseOptions } from './operator/arguments.ts';
import { CommandError, runCommand } from './operator/command.ts';
import { swapHint } from './packs/covariates-at.ts';
import { mapOfYear, yearOf } from './packs/map-of-year.ts';
import { packWarnings } from './packs/pack-warnings.ts';
import { openedPack } from './packs/remote-sources.ts';
import { coverageByPart, observedOverPredicted } from './packs/validation/figures.ts';
import { type Predictions, predictedAt, readHeldOut } from './packs/validation/held-out.ts';
import { reportLines } from './packs/validation/report.ts';
import { sampleWarnings, seenInTraining } from './packs/validation/sample-remarks.ts';
import { validated } from './packs/validation/validate.ts';

const HELP = `Usage: npm run --silent pack-validate -- <folder of a pack> <held-out.csv> --target <column> [options]

Predicts at samples that the model did not see, with the reader and the model of the service, and
compares. The table has columns lon and lat (WGS84) and the measured values in the property's unit.

  --target <column>     the measured values
  --group <column>      samples of a group are alike (a field, a spatial block): intervals by whole groups
  --training <csv>      the samples of the training, with lon and lat: warns of samples in their grid cells
  --year <year>         of the map; required if the pack has several
  --figures <folder>    writes observed-predicted.svg and coverage.svg there
  --json                print JSON

Warns of covariates outside the training's values, of repeated rows and of impossible measurements.
Exit code 1: the samples contradict the pack beyond chance, the model saw more than half of their grid
cells, or a file could not be read; 2: the command line is invalid.`;

/** `npm run pack-validate -- models/meuse-soc held-out.csv --target stock` */
async function main(): Promise<void> {
  const options = optionsOf();
  if (options === null) return console.log(HELP);
  const { folder, file, target, group } = options;
  const pack = mapOfYear(await openedPack(folder), options.year);
  for (const line of await packWarnings(pack)) console.error(`warning: ${line}`);
  const samples = readHeldOut(readFileSync(file, 'utf8'), { target, group });
  const predictions = await predictedAt(pack, samples);
  for (const line of sampleWarnings(pack.manifest, predictions.samples)) {
    console.error(`warning: ${line}`);
  }
  const hint = swapHint(
    pack,
    samples.map(({ position }) => position),
  );
  if (hint !== '') throw new CommandError(`no sample lies on the grid${hint}`, 1);
  const seen = seenIn(options.training, pack, predictions);
  const { validation: found, pairs } = validated(pack, predictions);
  const validation = { ...found, refusals: [...seen, ...found.refusals] };
  if (options.json) console.log(JSON.stringify(validation, null, 2));
  else for (const line of reportLines(validation)) console.log(line);
  if (options.figures !== null) {
    mkdirSync(options.figures, { recursive: true });
    writeFileSync(
      join(options.figures, 'observed-predicted.svg'),
      observedOverPredicted(validation, pairs),
    );
    const coverage = coverageByPart(validation);
    if (coverage !== null) writeFileSync(join(options.figures, 'coverage.svg'), coverage);
  }
  if (validation.refusals.length > 0) {
    for (const refusal of validation.refusals) console.error(`wrong: ${refusal}`);
    throw new CommandError('the samples do not bear out the pack', 1);
  }
}

/** Says how many samples the model saw; returns why that makes them useless, if so many are. */
function seenIn(training: string | null, pack: Pack, { samples }: Predictions): readonly string[] {
  if (training === null) {
    console.error('not checked: whether the model saw these samples (--training)');
    return [];
  }
  const seen = seenInTraining(pack, samples, readFileSync(training, 'utf8'));
  if (seen?.isRefusal === true) return [seen.text];
  if (seen !== null) console.error(`warning: ${seen.text}`);
  return [];
}

interface Options {
  readonly folder: string;
  readonly file: string;
  readonly target: string;
  readonly group: string | null;
  readonly training: string | null;
  readonly year: number | null;
  readonly figures: string | null;
  readonly json: boolean;
}

/** Null for `--help`. */
function optionsOf(): Options | null {
  const { values, positionals } = parseOptions({
    options: {
      target: { type: 'string' },
      group: { type: 'string' },
      training: { type: 'string' },
      year: { type: 'string' },
      figures: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help === true) return null;
  const [folder, file, ...others] = positionals;
  if (folder === undefined || file === undefined || others.length > 0) {
    throw new CommandError('expected two arguments: the folder of a pack and a table of samples');
  }
  if (values.target === undefined) {
    throw new CommandError('--target is required: the column with the measured values');
  }
  const { target, group = null, training = null, figures = null, json } = values;
  return { folder, file, target, group, training, figures, json, year: yearOf(values.year) };
}

await runCommand('pack-validate', main);
