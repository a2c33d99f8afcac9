import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { quantileLevel } from '#engine/model/pack/summarised-bands.ts';
import { parseOptions } from './operator/arguments.ts';
import { CommandError, printJson, runCommand } from './operator/command.ts';
import type { StandardisedErrors } from './packs/errors/correlation.ts';
import { type ErrorEstimate, estimatedErrors, fittedErrors } from './packs/errors/estimate.ts';
import { errorLines, errorWarnings } from './packs/errors/report.ts';
import { readWithheld, usualReach } from './packs/errors/withheld.ts';

const HELP = `Usage: npm run --silent pack-errors -- <withheld.csv> --target <column> [options]

Estimates the manifest's "error": how alike the errors of near places are, which decides the interval of
an area's mean. The table has a line for each sample, with what a model predicts that was trained without
its fold: columns lon and lat (WGS84), mean, q05, q95, fold and the measured values. Only pairs of samples
of one fold count.

  --target <column>      the measured values
  --group <column>       samples of a group are alike (a field, a spatial block): resamples whole groups, and
                         compares the means of those that were withheld whole
  --lower <column>       the lower bound, named like the band (default: q05)
  --upper <column>       the upper bound (default: q95)
  --systematic <share>   standard deviation of an error that all cells share, ÷ value (default: 0)
  --max-metres <metres>  the farthest pairs (default: a third of the diagonal of the samples' extent,
                         but no farther than samples of one fold are apart)
  --standardised <json>  instead of a table: pairs of errors ÷ half-width, as
                         models/meuse-soc/training/correlation.py makes them out of bag
  --json                 print JSON

Warns of bounds that do not fit the errors. Exit code 1: all samples are of one fold, too few near pairs were
withheld together, or a file could not be read; 2: the command line is invalid.`;

/** `npm run pack-errors -- withheld.csv --target stock --group field` */
async function main(): Promise<void> {
  const { values, positionals } = parseOptions({
    options: {
      target: { type: 'string' },
      group: { type: 'string' },
      lower: { type: 'string', default: 'q05' },
      upper: { type: 'string', default: 'q95' },
      systematic: { type: 'string', default: '0' },
      'max-metres': { type: 'string' },
      standardised: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
    allowPositionals: true,
  });
  if (values.help === true) return console.log(HELP);
  if (values.standardised !== undefined) {
    return printJson(fittedErrors(readStandardised(values.standardised)));
  }
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) {
    throw new CommandError('expected one argument: a table of withheld samples');
  }
  if (values.target === undefined) {
    throw new CommandError('--target is required: the column with the measured values');
  }
  const { target, lower, upper, group = null } = values;
  const upperLevel = upperLevelOf(lower, upper);
  const samples = readWithheld(readFileSync(file, 'utf8'), { target, lower, upper, group });
  const systematic = numberOf(values.systematic, '--systematic');
  const reach = values['max-metres'];
  const maxMetres = reach === undefined ? usualReach(samples) : numberOf(reach, '--max-metres');
  const estimate = estimatedErrors(samples, { upperLevel, maxMetres, systematic });
  for (const line of errorWarnings(estimate)) console.error(`warning: ${line}`);
  const error = errorBlock(estimate, { lower, upper, systematic });
  if (values.json) return printJson({ error, ...estimate });
  for (const line of errorLines(estimate)) console.log(line);
  console.log(`"error": ${JSON.stringify(error, null, 2)}`);
}

function upperLevelOf(lower: string, upper: string): number {
  const [low, high] = [lower, upper].map((name) =>
    quantileLevel({ name, from: { kind: 'target', index: 0 } }),
  );
  if (typeof low === 'number' && typeof high === 'number' && Math.abs(low + high - 1) < 1e-9) {
    return Math.max(low, high);
  }
  throw new CommandError(
    `--lower and --upper must be names of opposite quantiles, such as q05 and q95; got ${lower} and ${upper}`,
  );
}

function numberOf(text: string, option: string): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (value >= 0 && Number.isFinite(value)) return value;
  throw new CommandError(`${option} must be a number from 0; got ${text}`);
}

/** For the manifest. */
function errorBlock(
  { pairs, max_m, declared }: ErrorEstimate,
  { lower, upper, systematic }: { lower: string; upper: string; systematic: number },
) {
  return {
    lower,
    upper,
    correlation: { model: 'exponential', nugget: declared.nugget, range_m: declared.range_m },
    systematic_relative_sd: systematic,
    how: `${pairs} pairs of samples under ${Math.round(max_m)} m that were withheld together; nugget and integral at their one-sided 80 % bounds`,
    command: `npm run pack-errors -- ${process.argv.slice(2).join(' ')}`,
  };
}

const standardisedSchema = z.strictObject({
  max_metres: z.number().positive(),
  /** Of the error of each sample. */
  variances: z.array(z.number().nonnegative()).min(1),
  /** Indexes of two samples, metres between them, and the product of their errors. */
  pairs: z.array(
    z.tuple([z.int().nonnegative(), z.int().nonnegative(), z.number().positive(), z.number()]),
  ),
});

function readStandardised(file: string): StandardisedErrors {
  const { max_metres, variances, pairs } = standardisedSchema.parse(
    JSON.parse(readFileSync(file, 'utf8')),
  );
  return {
    maxMetres: max_metres,
    variances: variances.map((variance, unit) => ({ unit, variance })),
    pairs: pairs.map(([first, second, metres, product]) => {
      return { first, second, places: `${first} ${second}`, metres, product };
    }),
  };
}

await runCommand('pack-errors', main);
